import { identityLimits } from '../../../../contract/jmap/identity.ts';
import { storedIdentitiesOf, type IdentityRecord } from '../../../../core/mail/identity-type.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const accountId = 'acc_alice';
const using = ['urn:ietf:params:jmap:submission'];
const { maxIdentities, maxSizeIdentityName, maxIdentityAddresses, maxSizeTextSignature, maxSizeHtmlSignature, maxSizeSignatures } = identityLimits;

const unset = { name: '', replyTo: null, bcc: null, textSignature: '', htmlSignature: '' };
const made = { id: 'alias_alice', email: 'alice@example.test', ...unset, mayDelete: false };

describe('Identity', () => {
  const deployment = jmapDeploymentPerTest();

  const call = (name: string, args: object, token = 'alice'): Promise<Json> => deployment.call(name, { ...args }, { token, using });
  const list = async () => (await call('Identity/get', { ids: null }))['list'] as Json[];
  const state = async () => (await call('Identity/get', { ids: [] }))['state'] as string;
  const update = (patch: object, id = 'alias_alice') => call('Identity/set', { update: { [id]: patch } });
  const create = (properties: object) => call('Identity/set', { create: { new: properties } });
  const createdId = async (properties: object) => (await create(properties))['created']['new']['id'] as string;
  /** Changes whether the alias may send, as /aliases would. */
  const setMaySend = async (maySend: boolean, id = 'alias_alice') => {
    const view = (await deployment.store.open(accountId))!;
    await deployment.store.commit(view, (newest) => ({
      records: { Identity: { put: [{ ...storedIdentitiesOf(newest).get(id)!, maySend } as IdentityRecord] } },
    }));
  };

  // @requirement 8621 §6 identity-properties
  test('exists for the address of the account, with all properties', async () => {
    expect(await call('Identity/get', { ids: null })).toMatchObject({ accountId, list: [made], notFound: [] });
    expect(await list()).toEqual([made]);
  });

  // @requirement 8621 §6.1 identity-get
  test('is got by id with the properties asked for; unknown ids are notFound', async () => {
    expect(await call('Identity/get', { ids: ['alias_alice', 'alias_bob'], properties: ['email'] })).toMatchObject({
      list: [{ id: 'alias_alice', email: 'alice@example.test' }],
      notFound: ['alias_bob'],
    });
  });

  // @requirement 8621 §6.3 identity-set
  test('keeps a name, addresses and signatures that are set, until they are set to null', async () => {
    const properties = {
      name: 'Älice "A" O’Neill',
      replyTo: [{ name: 'Team', email: 'Team@example.net' }],
      bcc: [
        { name: null, email: 'a+b@example.org' },
        { name: null, email: 'c@example.org' },
      ],
      textSignature: '-- \nAlice\n',
      htmlSignature: '<b>Alice</b>\n',
    };
    expect(await update(properties)).toMatchObject({ updated: { alias_alice: null }, notUpdated: null });
    expect(await list()).toEqual([{ ...made, ...properties }]);
    expect(await update(Object.fromEntries(Object.keys(properties).map((name) => [name, null])))).toMatchObject({ notUpdated: null });
    expect(await list()).toEqual([made]);
  });

  test('takes an address without a name, and an internationalized domain as A-labels', async () => {
    const { updated } = await update({ replyTo: [{ email: 'Büro@example.net' }, { email: 'office@bücher.example' }] });
    expect(updated).toBeNull();
    expect(await update({ replyTo: [{ email: 'office@bücher.example' }] })).toMatchObject({
      updated: { alias_alice: { replyTo: [{ name: null, email: 'office@xn--bcher-kva.example' }] } },
    });
  });

  test('is updated by a set that changes nothing, in the same state', async () => {
    const before = await state();
    expect(await update({ name: '', email: 'alice@example.test', mayDelete: false, id: 'alias_alice' })).toMatchObject({
      updated: { alias_alice: null },
      newState: before,
    });
  });

  // @requirement 8621 §6 identity-email-immutable
  test.each<readonly [string, object]>([
    ['email', { email: 'other@example.test' }],
    ['mayDelete', { mayDelete: true }],
    ['id', { id: 'other' }],
    ['aliasId', { aliasId: 'alias_alice' }],
    ['maySend', { maySend: false }],
    ['name', { name: 7 }],
    ['name', { name: 'Alice\r\nBcc: eve@example.net' }],
    ['name', { name: 'Alice\nX: y' }],
    ['name', { name: 'A\u0000' }],
    ['name', { name: 'x'.repeat(maxSizeIdentityName + 1) }],
    ['replyTo', { replyTo: 'a@example.net' }],
    ['replyTo', { replyTo: ['a@example.net'] }],
    ['replyTo', { replyTo: [{ name: 'A' }] }],
    ['replyTo', { replyTo: [{ name: 'A\r\nB', email: 'a@example.net' }] }],
    ['replyTo', { replyTo: [{ name: null, email: 'a@example.net\r\nX: y' }] }],
    ['replyTo', { replyTo: [{ name: null, email: 'a@example.net', other: 1 }] }],
    ['replyTo', { replyTo: [{ name: 1, email: 'a@example.net' }] }],
    ['bcc', { bcc: [{ name: null, email: 'no address' }] }],
    ['bcc', { bcc: [{ name: null, email: '"quoted @ part"@example.net' }] }],
    ['bcc', { bcc: [{ name: null, email: 'grüße@example.net' }] }],
    ['bcc', { bcc: [{ name: null, email: '' }] }],
    ['bcc', { bcc: Array.from({ length: maxIdentityAddresses + 1 }, (_, i) => ({ name: null, email: `a${i}@example.net` })) }],
    ['textSignature', { textSignature: null, htmlSignature: 1 }],
    ['textSignature', { textSignature: 'ä'.repeat(maxSizeTextSignature / 2 + 1) }],
    ['htmlSignature', { htmlSignature: 'x'.repeat(maxSizeHtmlSignature + 1) }],
  ])('is not updated with an invalid %s: %#', async (property, patch) => {
    const before = await state();
    const named = 'htmlSignature' in patch ? 'htmlSignature' : property;
    expect(await update(patch)).toMatchObject({
      updated: null,
      notUpdated: { alias_alice: { type: 'invalidProperties', properties: [named], description: expect.stringMatching(/\.$/) as string } },
      newState: before,
    });
    expect(await list()).toEqual([made]);
  });

  test('names all of its invalid properties', async () => {
    expect(await update({ name: 'a\nb', bcc: [{ email: 'x' }], textSignature: 'fine' })).toMatchObject({
      notUpdated: { alias_alice: { type: 'invalidProperties', properties: ['name', 'bcc'] } },
    });
  });

  // @requirement 8621 §6 identity-may-delete
  test('of the server is not destroyed: forbidden', async () => {
    expect(await call('Identity/set', { destroy: ['alias_alice', 'unknown'] })).toMatchObject({
      destroyed: null,
      notDestroyed: { alias_alice: { type: 'forbidden' }, unknown: { type: 'notFound' } },
    });
    expect(await list()).toEqual([made]);
  });

  test('is created by a client for an address of the account in any letter case, and destroyed', async () => {
    const { created } = await create({ email: 'ALICE@example.test', name: 'Sales' });
    const { id } = created['new'] as Json;
    expect(created['new']).toEqual({ id, email: 'alice@example.test', ...unset, name: undefined, mayDelete: true });
    expect(await list()).toEqual([made, { ...made, id, name: 'Sales', mayDelete: true }]);
    expect(await call('Identity/set', { destroy: [id] })).toMatchObject({ destroyed: [id] });
    expect(await list()).toEqual([made]);
  });

  test('is created, updated and destroyed in one call', async () => {
    expect(
      await call('Identity/set', {
        create: { a: { email: 'alice@example.test' }, b: { email: 'alice@example.test' } },
        update: { '#a': { name: 'A' } },
        destroy: ['#b'],
      }),
    ).toMatchObject({ notUpdated: null, notDestroyed: null });
    expect(await list()).toEqual([made, expect.objectContaining({ name: 'A', mayDelete: true })]);
  });

  // @requirement 8621 §6.3 identity-forbidden-from
  test.each(['bob@example.test', 'alice@example.net', '*@example.test', 'alice', '', 'alice@example.test\r\nX: y'])(
    'is not created for the address %j: forbiddenFrom',
    async (email) => {
      expect(await create({ email })).toMatchObject({ created: null, notCreated: { new: { type: 'forbiddenFrom', properties: ['email'] } } });
      expect(await list()).toEqual([made]);
    },
  );

  test.each<readonly [string, object]>([
    ['email', {}],
    ['mayDelete', { email: 'alice@example.test', mayDelete: true }],
    ['name', { email: 'alice@example.test', name: 'a\r\nb' }],
    ['replyTo', { email: 'alice@example.test', replyTo: [{ email: '@' }] }],
  ])('is not created with an invalid %s', async (property, properties) => {
    expect(await create(properties)).toMatchObject({ notCreated: { new: { type: 'invalidProperties', properties: [property] } } });
  });

  test('is created by clients up to a number, and then overQuota', async () => {
    const many = Object.fromEntries(Array.from({ length: maxIdentities + 1 }, (_, i) => [`c${i}`, { email: 'alice@example.test' }]));
    const { created, notCreated } = await call('Identity/set', { create: many });
    expect(Object.keys(created as Json)).toHaveLength(maxIdentities);
    expect(Object.values(notCreated as Json)).toMatchObject([{ type: 'overQuota' }]);
  });

  test('has signatures up to a size for the account, and then overQuota', async () => {
    const htmlSignature = 'x'.repeat(maxSizeHtmlSignature);
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`c${i}`, { email: 'alice@example.test', htmlSignature }]));
    const { created, notCreated } = await call('Identity/set', { create: many });
    const fitting = Math.floor(maxSizeSignatures / maxSizeHtmlSignature);
    expect([Object.keys(created as Json).length, Object.keys(notCreated as Json).length]).toEqual([fitting, 20 - fitting]);
    expect(await update({ htmlSignature })).toMatchObject({ notUpdated: { alias_alice: { type: 'overQuota' } } });
    const [{ id }] = Object.values(created as Json) as [{ id: string }];
    expect(await update({ htmlSignature: null }, id)).toMatchObject({ notUpdated: null });
    expect(await update({ htmlSignature })).toMatchObject({ notUpdated: null });
  });

  test('is read and not changed by a member with the role READ, and by a token without MAIL_WRITE', async () => {
    expect(await call('Identity/get', { accountId, ids: null }, 'bob')).toMatchObject({ list: [made] });
    expect(await call('Identity/set', { accountId, update: { alias_alice: { name: 'x' } } }, 'bob')).toMatchObject({ type: 'accountReadOnly' });
    expect(await call('Identity/set', { update: { alias_alice: { name: 'x' } } }, 'reader')).toMatchObject({ type: 'forbidden' });
  });

  // @requirement 8621 §6.2 identity-changes
  test('changes its state when it is created, updated and destroyed, and not when mail arrives', async () => {
    const states = [await state()];
    const id = await createdId({ email: 'alice@example.test' });
    states.push(await state());
    await update({ name: 'Alice' });
    states.push(await state());
    await call('Identity/set', { destroy: [id] });
    states.push(await state());
    await deployment.deliver();
    expect(await state()).toBe(states[3]);
    const since = async (index: number) => {
      const { created, updated, destroyed } = await call('Identity/changes', { sinceState: states[index] });
      return { created, updated, destroyed };
    };
    expect(await since(0)).toEqual({ created: [], updated: ['alias_alice'], destroyed: [] });
    expect(await since(1)).toEqual({ created: [], updated: ['alias_alice'], destroyed: [id] });
    expect(await since(2)).toEqual({ created: [], updated: [], destroyed: [id] });
    expect(await since(3)).toEqual({ created: [], updated: [], destroyed: [] });
  });

  describe('of an alias that may not send any more', () => {
    let id: string;
    let before: string;
    beforeEach(async () => {
      id = await createdId({ email: 'alice@example.test', name: 'Sales' });
      await update({ textSignature: 'Alice' });
      before = await state();
      await setMaySend(false);
    });

    test('is hidden from clients, with the Identities that they made for the address', async () => {
      expect(await call('Identity/get', { ids: [id, 'alias_alice'] })).toMatchObject({ list: [], notFound: [id, 'alias_alice'] });
      expect(await call('Identity/changes', { sinceState: before })).toMatchObject({ destroyed: [id, 'alias_alice'].sort() });
      expect(await update({ name: 'x' })).toMatchObject({ notUpdated: { alias_alice: { type: 'notFound' } } });
      expect(await call('Identity/set', { destroy: [id] })).toMatchObject({ notDestroyed: { [id]: { type: 'notFound' } } });
      expect(await create({ email: 'alice@example.test' })).toMatchObject({ notCreated: { new: { type: 'forbiddenFrom' } } });
    });

    test('is there again with its id and signature when the alias may send again', async () => {
      const gone = await state();
      await setMaySend(true);
      expect(await list()).toEqual([
        { ...made, textSignature: 'Alice' },
        { ...made, id, name: 'Sales', mayDelete: true },
      ]);
      expect(await call('Identity/changes', { sinceState: gone })).toMatchObject({ created: [id, 'alias_alice'].sort(), updated: [], destroyed: [] });
      expect(await call('Identity/changes', { sinceState: before })).toMatchObject({ created: [], updated: [id, 'alias_alice'].sort(), destroyed: [] });
    });

    test('appears as created to a client that missed its absence, if it was created after the client’s state', async () => {
      await setMaySend(true);
      const between = await state();
      const later = await createdId({ email: 'alice@example.test' });
      expect(await call('Identity/changes', { sinceState: between })).toMatchObject({ created: [later], updated: [], destroyed: [] });
      expect(await call('Identity/changes', { sinceState: before })).toMatchObject({ created: [later], updated: [id, 'alias_alice'].sort() });
    });

    test('is destroyed when its alias is deleted, and no client state still has it', async () => {
      const gone = await state();
      const view = (await deployment.store.open(accountId))!;
      await deployment.store.commit(view, () => ({ records: { Identity: { destroy: [id, 'alias_alice'] } } }));
      expect(await call('Identity/changes', { sinceState: gone })).toMatchObject({ created: [], updated: [], destroyed: [] });
      expect(await call('Identity/changes', { sinceState: before })).toMatchObject({ destroyed: [id, 'alias_alice'].sort() });
    });
  });

  test('keeps the properties that another request set concurrently', async () => {
    const view = (await deployment.store.open(accountId))!;
    await update({ textSignature: 'Alice' });
    const record = storedIdentitiesOf(view).get('alias_alice')!;
    await deployment.store.commit(view, (newest) => ({
      records: { Identity: { put: [{ ...storedIdentitiesOf(newest).get(record.id)!, name: 'Office' } as IdentityRecord] } },
    }));
    expect(await list()).toEqual([{ ...made, name: 'Office', textSignature: 'Alice' }]);
  });
});
