import { capability } from '../../../../contract/jmap/core.ts';
import { forwardingsIn } from '../../../../core/directory/forwarding/forwardings.ts';
import type { Item } from '../../../../core/storage/table.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const accountId = 'acc_alice';
const defaults = { id: 'singleton', addresses: [], keepsCopy: true, unconfirmed: [] };
const outside = 'friend@elsewhere.test';

describe('Forwarding', () => {
  const deployment = jmapDeploymentPerTest();
  const call = (name: string, args: Json = {}, token = 'alice') =>
    deployment.call(`Forwarding/${name}`, args, { token, using: [capability.core, capability.forwarding] });
  const get = async () => (await call('get', { ids: null }))['list'];
  const stateOf = async () => (await call('get', { ids: [] }))['state'] as string;
  const update = (patch: Json, more: Json = {}, token = 'alice') => call('set', { update: { singleton: patch }, ...more }, token);
  const errorOf = (response: Json) => (response['notUpdated'] as Record<string, Json>)['singleton'];
  const requested = () => deployment.inbound.messages.map(({ message }) => message);
  const put = (...items: Item[]) => deployment.directory.write(items.map((item) => ({ put: item })));

  beforeEach(async () => {
    await put(
      { pk: 'account', sk: accountId, name: 'Alice', email: 'alice@example.test' },
      { pk: 'domain-name', sk: 'example.test', state: 'ready', send_enabled: true, receive_enabled: true, domain_id: 'dom_1' },
      { pk: 'address', sk: 'sales@example.test', state: 'ready', group_id: 'grp_sales', writers: 'EVERYBODY' },
      { pk: 'address', sk: 'robert@example.test', state: 'ready', is_active: true, account_id: 'acc_bob', alias_id: 'alias_robert' },
    );
  });

  test('exists once in every account, with its defaults until it is changed, for each member', async () => {
    expect(await call('get', { ids: ['singleton', 'other'] }, 'bob')).toEqual({ accountId, state: '0', list: [defaults], notFound: ['other'] });
    expect(await call('get', { ids: null, properties: ['keepsCopy'] })).toMatchObject({ list: [{ id: 'singleton', keepsCopy: true }] });
    expect(await call('get', { ids: null, properties: ['digest'] })).toMatchObject({ type: 'invalidArguments' });
  });

  test('stores addresses, tells what it stored otherwise than requested, and requests the links', async () => {
    const response = await update({ addresses: ['Bob@Example.test', 'robert@example.test', 'Friend@Elsewhere.test'], keepsCopy: false });
    const stored = { addresses: ['robert@example.test', outside], unconfirmed: [outside] };
    expect(response).toMatchObject({ accountId, oldState: '0', newState: await stateOf(), updated: { singleton: stored }, notUpdated: null });
    expect(await get()).toEqual([{ id: 'singleton', ...stored, keepsCopy: false }]);
    expect(requested()).toEqual([{ kind: 'forwarding-links', links: { accountId } }]);
  });

  test('tells nothing about an update that was stored as requested, and requests no link for addresses here', async () => {
    expect(await update({ addresses: ['bob@example.test'] })).toMatchObject({ updated: { singleton: null } });
    expect(await update({ keepsCopy: false, unconfirmed: [], id: 'singleton' })).toMatchObject({ updated: { singleton: null } });
    expect(await update({ keepsCopy: null })).toMatchObject({ updated: { singleton: null } });
    expect(await get()).toEqual([{ ...defaults, addresses: ['bob@example.test'] }]);
    expect(requested()).toEqual([]);
  });

  test('ends with an empty list, and always keeps a copy then', async () => {
    await update({ addresses: ['bob@example.test'], keepsCopy: false });
    expect(await update({ addresses: null })).toMatchObject({ newState: '0', updated: { singleton: { keepsCopy: true } } });
    expect([await get(), await forwardingsIn(deployment.directory).find(accountId)]).toEqual([[defaults], undefined]);
    expect(await update({ keepsCopy: false })).toMatchObject({ oldState: '0', newState: '0', updated: { singleton: { keepsCopy: true } } });
  });

  test('repeats the request for links when an update changes nothing, and keeps its state', async () => {
    const { newState } = await update({ addresses: [outside] });
    expect(await update({ addresses: [outside] })).toMatchObject({ oldState: newState, newState, updated: { singleton: null } });
    expect(requested()).toHaveLength(2);
  });

  test('keeps what its owner has confirmed when other addresses change', async () => {
    await update({ addresses: [outside] });
    const forwardings = forwardingsIn(deployment.directory);
    const [stored, now] = [(await forwardings.find(accountId))!, deployment.now()];
    const { token, write } = forwardings.newLink(stored, { email: outside }, now);
    await deployment.directory.write([write]);
    await forwardings.confirm(token, now);
    await update({ addresses: ['bob@example.test', outside] });
    expect(await get()).toEqual([{ ...defaults, addresses: ['bob@example.test', outside] }]);
  });

  test('can be neither created nor destroyed: singleton', async () => {
    expect(await call('set', { create: { a: {} }, destroy: ['singleton', 'other'] })).toMatchObject({
      notCreated: { a: { type: 'singleton' } },
      notDestroyed: { singleton: { type: 'singleton' }, other: { type: 'notFound' } },
      oldState: '0',
      newState: '0',
    });
    expect(await call('set', { update: { other: {} } })).toMatchObject({ notUpdated: { other: { type: 'notFound' } } });
  });

  test.each<[string, Json, string]>([
    ['text that is no address', { addresses: ['friend'] }, 'invalidProperties'],
    ['two addresses in one', { addresses: ['a@elsewhere.test, b@elsewhere.test'] }, 'invalidProperties'],
    ['a line break', { addresses: ['a@elsewhere.test\r\nBcc: b@elsewhere.test'] }, 'invalidProperties'],
    ['a domain that is nobody’s', { addresses: ['a@mail.invalid'] }, 'invalidProperties'],
    ['six addresses', { addresses: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@elsewhere.test`) }, 'invalidProperties'],
    ['a text instead of a list', { addresses: outside }, 'invalidProperties'],
    ['an address of the account itself', { addresses: ['alice+x@example.test'] }, 'invalidProperties'],
    ['a group', { addresses: ['sales@example.test'] }, 'invalidProperties'],
    ['an address here that nobody has', { addresses: ['nobody@example.test'] }, 'invalidProperties'],
    ['a role address here without an alias', { addresses: ['postmaster@example.test'] }, 'invalidProperties'],
    ['a path into the list', { 'addresses/0': outside }, 'invalidPatch'],
  ])('refuses %s', async (_what, patch, type) => {
    const response = await update(patch);
    expect(response).toMatchObject({ updated: null, oldState: '0', newState: '0', notUpdated: { singleton: { type } } });
    if (type === 'invalidProperties') expect(errorOf(response)).toMatchObject({ properties: ['addresses'] });
    expect([await get(), requested()]).toEqual([[defaults], []]);
  });

  test('refuses what the server sets', async () => {
    await update({ addresses: [outside] });
    expect(errorOf(await update({ unconfirmed: [] }))).toMatchObject({ type: 'invalidProperties', properties: ['unconfirmed'] });
  });

  test('refuses an address outside when the primary address may not send, with the reason', async () => {
    await put({ pk: 'address', sk: 'alice@example.test', state: 'ready', is_active: true, can_send_from: false, account_id: accountId });
    expect(errorOf(await update({ addresses: [outside] }))).toMatchObject({
      type: 'invalidProperties',
      properties: ['addresses'],
      description: expect.stringContaining('The sender address may not send.'),
    });
  });

  test('is changed by members with the role ADMIN only, with a token that may write', async () => {
    expect(await update({ addresses: [] }, {}, 'bob')).toMatchObject({ type: 'accountReadOnly' });
    await deployment.addMember('bob', accountId, 'WRITE', false);
    expect(errorOf(await update({ addresses: ['bob@example.test'] }, {}, 'bob'))).toMatchObject({ type: 'forbidden' });
    expect(await update({}, {}, 'reader')).toMatchObject({ type: 'forbidden' });
    expect(await get()).toEqual([defaults]);
    await deployment.addMember('bob', accountId, 'ADMIN', false);
    expect(await update({ addresses: ['bob@example.test'] }, {}, 'bob')).toMatchObject({ updated: { singleton: null } });
  });

  test('honours ifInState', async () => {
    const { newState } = await update({ addresses: [outside] }, { ifInState: '0' });
    expect(await update({ addresses: [] }, { ifInState: '0' })).toMatchObject({ type: 'stateMismatch' });
    expect(await update({ addresses: [] }, { ifInState: newState })).toMatchObject({ newState: '0' });
  });

  test.each([
    ['fails with ifInState: stateMismatch', true],
    ['is planned again without it', false],
  ])('an update that another writer overtakes %s', async (_what, hasState) => {
    const { forwarding } = deployment.jmap.dependencies;
    const { put: store } = forwarding.forwardings;
    let hasOvertaken = false;
    Object.assign(forwarding.forwardings, {
      put: async (...args: Parameters<typeof store>) => {
        if (!hasOvertaken) await store(accountId, { addresses: [{ email: outside }], keep_copy: true }, deployment.now());
        hasOvertaken = true;
        return store(...args);
      },
    });
    await deployment.directory.write([
      {
        put: {
          pk: 'forwarding',
          sk: accountId,
          addresses: [{ email: 'bob@example.test', account_id: 'acc_bob' }],
          keep_copy: true,
          version: 1,
          updated_at: 'x',
        },
      },
    ]);
    const response = await update({ keepsCopy: false }, hasState ? { ifInState: await stateOf() } : {});
    expect(response).toMatchObject(hasState ? { type: 'stateMismatch' } : { updated: { singleton: null } });
    expect(await get()).toEqual([{ ...defaults, addresses: [outside], unconfirmed: [outside], keepsCopy: hasState }]);
  });

  test('of an account that was deleted since the request began is accountNotFound', async () => {
    await deployment.directory.write([{ delete: { pk: 'account', sk: accountId } }]);
    expect(await update({ addresses: ['bob@example.test'] })).toMatchObject({ type: 'accountNotFound' });
  });
});

describe('Forwarding of a deployment that forwards nothing to the outside', () => {
  const deployment = jmapDeploymentPerTest({ mayForwardOutside: false });

  test('refuses addresses outside, and the session says so', async () => {
    const options = { using: [capability.core, capability.forwarding] };
    const response = await deployment.call('Forwarding/set', { update: { singleton: { addresses: [outside] } } }, options);
    expect((response['notUpdated'] as Json)['singleton']).toMatchObject({ type: 'invalidProperties', properties: ['addresses'] });
    const { accounts } = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Json;
    expect(accounts[accountId].accountCapabilities[capability.forwarding]).toEqual({ maxAddresses: 5, mayForwardOutside: false, mayChange: true });
  });
});
