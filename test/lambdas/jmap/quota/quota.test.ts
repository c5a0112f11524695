import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const accountId = 'acc_alice';
const using = ['urn:ietf:params:jmap:quota', 'urn:ietf:params:jmap:mail'];
const quotaDefaults = { octets: 1_000_000, count: 100 };

describe('Quota', () => {
  const deployment = jmapDeploymentPerTest({ quotaDefaults });

  const call = (name: string, args: object, token = 'alice') => deployment.call(name, { ...args }, { token, using });
  const get = async () => (await call('Quota/get', { ids: null }))['list'] as { id: string; used: number; hardLimit: number }[];
  const state = async () => (await call('Quota/get', { ids: [] }))['state'] as string;
  const limitOctets = (octets: number | null) => deployment.store.setQuota(accountId, { octets });

  test('is a capability of the session and of each account', async () => {
    const { body: text } = await deployment.http('GET', '/.well-known/jmap');
    const body = JSON.parse(text!) as { capabilities: Json; accounts: Record<string, { accountCapabilities: Json }> };
    expect(body.capabilities['urn:ietf:params:jmap:quota']).toEqual({});
    expect(body.accounts[accountId]!.accountCapabilities['urn:ietf:params:jmap:quota']).toEqual({});
  });

  // @requirement 9425 §4 quota-properties
  test('has the octets and the number of Emails, with the limits of the deployment', async () => {
    const ids = [await deployment.deliver(), await deployment.deliver()];
    const { list } = await deployment.call('Email/get', { ids, properties: ['size'] });
    const octets = (list as { size: number }[]).reduce((sum, { size }) => sum + size, 0);
    expect((await call('Quota/get', { ids: null }))['list']).toEqual([
      {
        id: 'octets',
        resourceType: 'octets',
        used: octets,
        hardLimit: 1_000_000,
        scope: 'account',
        name: 'Storage',
        types: ['Email'],
        warnLimit: null,
        softLimit: null,
        description: expect.any(String),
      },
      expect.objectContaining({ id: 'count', resourceType: 'count', used: 2, hardLimit: 100 }),
    ]);
  });

  test('counts a destroyed Email no more', async () => {
    const id = await deployment.deliver();
    await deployment.call('Email/set', { destroy: [id] });
    expect(await get()).toMatchObject([{ used: 0 }, { used: 0 }]);
  });

  test('has the limit of the account’s own, until it is removed', async () => {
    await limitOctets(5000);
    expect(await get()).toMatchObject([{ hardLimit: 5000 }, { hardLimit: 100 }]);
    await limitOctets(null);
    expect(await get()).toMatchObject([{ hardLimit: 1_000_000 }, { hardLimit: 100 }]);
  });

  // @requirement 9425 §4.3 quota-changes
  test('changes only in its use when an Email is added or destroyed, and stays when one is moved', async () => {
    const before = await state();
    const id = await deployment.deliver();
    expect(await call('Quota/changes', { sinceState: before })).toMatchObject({
      created: [],
      updated: ['count', 'octets'],
      destroyed: [],
      updatedProperties: ['used'],
    });
    const delivered = await state();
    const { archive } = await deployment.roles();
    await deployment.call('Email/set', { update: { [id]: { mailboxIds: { [archive!]: true } } } });
    expect(await state()).toBe(delivered);
  });

  test('changes in all properties when a limit is set, and not when the same limit is set again', async () => {
    const before = await state();
    await limitOctets(5000);
    const limited = await state();
    expect(await call('Quota/changes', { sinceState: before })).toMatchObject({ updated: ['octets'], updatedProperties: null });
    await limitOctets(5000);
    expect(await state()).toBe(limited);
  });

  // @requirement 9425 §4.4 quota-filters
  test.each([
    [{ resourceType: 'count' }, ['count']],
    [{ name: 'stor' }, []],
    [{ name: 'Stor' }, ['octets']],
    [{ scope: 'domain' }, []],
    [{ type: 'Email', scope: 'account' }, ['octets', 'count']],
    [{ operator: 'NOT', conditions: [{ resourceType: 'count' }] }, ['octets']],
  ])('is found by the filter %j', async (filter, expected) => {
    expect((await call('Quota/query', { filter }))['ids']).toEqual(expect.arrayContaining(expected));
    expect((await call('Quota/query', { filter, calculateTotal: true }))['total']).toBe(expected.length);
  });

  test('is sorted by name and by use', async () => {
    await deployment.deliver();
    expect((await call('Quota/query', { sort: [{ property: 'name' }] }))['ids']).toEqual(['count', 'octets']);
    expect((await call('Quota/query', { sort: [{ property: 'used', isAscending: false }] }))['ids']).toEqual(['octets', 'count']);
  });

  test('moves in the results of a query by use when mail arrives, and in no other', async () => {
    const byUse = { sort: [{ property: 'used' }] };
    const { queryState: sinceQueryState, ids } = await call('Quota/query', byUse);
    await deployment.deliver();
    const changes = await call('Quota/queryChanges', { ...byUse, sinceQueryState });
    expect(changes).toMatchObject({
      removed: ids,
      added: [
        { id: 'count', index: 0 },
        { id: 'octets', index: 1 },
      ],
    });
    expect(await call('Quota/queryChanges', { sort: [{ property: 'name' }], sinceQueryState })).toMatchObject({ removed: [], added: [] });
  });

  test('is read by a member with the role READ, and has no /set', async () => {
    expect(await call('Quota/get', { accountId, ids: ['octets'] }, 'bob')).toMatchObject({ list: [{ id: 'octets' }], notFound: [] });
    expect(await call('Quota/set', {})).toMatchObject({ type: 'unknownMethod' });
  });

  test('is pushed as a state of the account when mail arrives', async () => {
    const before = await state();
    await deployment.deliver();
    expect(await state()).not.toBe(before);
    expect((await deployment.store.open(accountId))!.state('Quota')).toBe(await state());
  });
});
