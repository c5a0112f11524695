import { vacationResponseLimits } from '../../../../contract/jmap/vacation-response.ts';
import { decodeHead } from '../../../../core/account-log/head.ts';
import { headKey } from '../../../../core/account-log/keys.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const accountId = 'acc_alice';
const uri = 'urn:ietf:params:jmap:vacationresponse';
const defaults = { id: 'singleton', isEnabled: false, fromDate: null, toDate: null, subject: null, textBody: null, htmlBody: null };

describe('VacationResponse', () => {
  const deployment = jmapDeploymentPerTest();

  const call = (name: string, args: object, token = 'alice') =>
    deployment.call(`VacationResponse/${name}`, { ...args }, { token, using: [uri, 'urn:ietf:params:jmap:core'] });
  const get = async () => (await call('get', { ids: null }))['list'];
  const update = (patch: object, more: object = {}) => call('set', { update: { singleton: patch }, ...more });
  const errorOf = (response: Json) => (response['notUpdated'] as Record<string, Json>)['singleton'];
  const head = async () => decodeHead((await deployment.mail.get(headKey(accountId)))!);

  test('is a capability of the session and of each account', async () => {
    const { body: text } = await deployment.http('GET', '/.well-known/jmap');
    const body = JSON.parse(text!) as { capabilities: Json; accounts: Record<string, { accountCapabilities: Json }> };
    expect(body.capabilities[uri]).toEqual({});
    expect(body.accounts[accountId]!.accountCapabilities[uri]).toEqual({});
  });

  // @requirement 8621 §8.1 vacation-singleton
  test('exists once in every account, with its defaults until it is changed', async () => {
    expect(await call('get', { ids: null })).toMatchObject({ accountId, list: [defaults], notFound: [] });
    expect(await call('get', {})).toMatchObject({ list: [defaults] });
    expect(await call('get', { ids: [] })).toMatchObject({ list: [], notFound: [] });
    expect(await call('get', { ids: ['singleton', 'other'] })).toMatchObject({ list: [defaults], notFound: ['other'] });
    expect(await call('get', { ids: ['singleton'], properties: ['subject'] })).toMatchObject({ list: [{ id: 'singleton', subject: null }] });
  });

  // @requirement 8621 §8 vacation-properties
  test('keeps what a client sets, and changes its state', async () => {
    const { state } = await call('get', { ids: [] });
    const values = {
      isEnabled: true,
      fromDate: '2026-12-24T00:00:00Z',
      toDate: '2027-01-02T00:00:00Z',
      subject: 'Away “until” 2027',
      textBody: 'Away.\nBye',
      htmlBody: '<p>Away.</p>',
    };
    expect(await update(values)).toMatchObject({ oldState: state, updated: { singleton: null }, notUpdated: null });
    expect(await get()).toEqual([{ id: 'singleton', ...values }]);
    expect((await call('get', { ids: [] }))['state']).not.toBe(state);
    await update({ subject: null, textBody: null, isEnabled: null });
    expect(await get()).toEqual([{ id: 'singleton', ...values, subject: null, textBody: null, isEnabled: false }]);
  });

  test('keeps its state when an update changes nothing, and honours ifInState', async () => {
    await update({ subject: 'Away' });
    const { state } = await call('get', { ids: [] });
    expect(await update({ subject: 'Away' })).toMatchObject({ newState: state, updated: { singleton: null } });
    expect(await update({ subject: 'Gone' }, { ifInState: 'VacationResponse-0' })).toMatchObject({ type: 'stateMismatch' });
  });

  // @requirement 8621 §8.2 vacation-set
  // @pitfall error singleton
  test('cannot be created or destroyed: singleton', async () => {
    const created = await call('set', { create: { a: { isEnabled: true }, b: { isEnabled: 'yes', unknown: 1 } } });
    expect(created).toMatchObject({ created: null, notCreated: { a: { type: 'singleton' }, b: { type: 'singleton' } } });
    const destroyed = await call('set', { destroy: ['singleton', 'other'] });
    expect(destroyed).toMatchObject({ destroyed: null, notDestroyed: { singleton: { type: 'singleton' }, other: { type: 'notFound' } } });
    expect(await get()).toEqual([defaults]);
  });

  const tooLong = (octets: number) => 'é'.repeat(Math.ceil((octets + 1) / 2));
  test.each<[string, Json, string, string[] | undefined]>([
    ['a date that does not exist', { fromDate: '2026-02-30T00:00:00Z' }, 'invalidProperties', ['fromDate']],
    ['a date that is not in UTC', { toDate: '2026-12-24T00:00:00+01:00' }, 'invalidProperties', ['toDate']],
    ['a number as date', { toDate: 1_795_251_601 }, 'invalidProperties', ['toDate']],
    ['an end before the begin', { fromDate: '2026-12-24T00:00:00Z', toDate: '2026-12-23T00:00:00Z' }, 'invalidProperties', ['fromDate', 'toDate']],
    ['an end at the begin', { fromDate: '2026-12-24T00:00:00Z', toDate: '2026-12-24T00:00:00.000Z' }, 'invalidProperties', ['fromDate', 'toDate']],
    ['a subject with a line break', { subject: 'Away\r\nBcc: all@example.net' }, 'invalidProperties', ['subject']],
    ['a subject with NUL', { subject: 'Away\0' }, 'invalidProperties', ['subject']],
    ['a text that is not Unicode', { textBody: '\ud800' }, 'invalidProperties', ['textBody']],
    ['a subject of too many octets', { subject: tooLong(vacationResponseLimits.maxSizeSubject) }, 'tooLarge', undefined],
    ['a text of too many octets', { textBody: tooLong(vacationResponseLimits.maxSizeBody) }, 'tooLarge', undefined],
    ['an HTML of too many octets', { htmlBody: tooLong(vacationResponseLimits.maxSizeBody) }, 'tooLarge', undefined],
    ['another id', { id: 'other' }, 'invalidProperties', ['id']],
    ['an unknown property', { timezone: 'UTC' }, 'invalidProperties', ['timezone']],
    ['a text for isEnabled', { isEnabled: 'true' }, 'invalidProperties', ['isEnabled']],
  ])('refuses %s, and changes nothing', async (_, patch, type, properties) => {
    const before = await deployment.mail.get(headKey(accountId));
    const error = errorOf(await update({ isEnabled: true, ...patch }));
    expect(error).toMatchObject({ type, description: expect.any(String), ...(properties && { properties }) });
    expect(await get()).toEqual([defaults]);
    expect(await deployment.mail.get(headKey(accountId))).toEqual(before);
  });

  test('refuses an end before the begin that an earlier call set', async () => {
    await update({ fromDate: '2026-12-24T00:00:00Z' });
    expect(errorOf(await update({ toDate: '2026-12-01T00:00:00Z' }))).toMatchObject({ type: 'invalidProperties' });
  });

  test('is updated only by the id "singleton": notFound for any other', async () => {
    expect(await call('set', { update: { other: { isEnabled: true } } })).toMatchObject({ notUpdated: { other: { type: 'notFound' } } });
  });

  test('is read by a member with the role READ, who may not change it', async () => {
    expect(await call('get', { accountId, ids: null }, 'bob')).toMatchObject({ list: [defaults] });
    expect(await call('set', { accountId, update: { singleton: { isEnabled: true } } }, 'bob')).toMatchObject({ type: 'accountReadOnly' });
  });

  test('has no method that RFC 8621 §8 does not state', async () => {
    for (const verb of ['changes', 'query', 'queryChanges', 'copy']) expect(await call(verb, {})).toMatchObject({ type: 'unknownMethod' });
  });

  test('has its window in the head while it is enabled, for deliveries', async () => {
    expect((await head()).vacation).toBeUndefined();
    await update({ isEnabled: true });
    expect((await head()).vacation).toEqual({ from: null, to: null });
    await update({ fromDate: '2026-12-24T00:00:00Z' });
    expect((await head()).vacation).toEqual({ from: Date.UTC(2026, 11, 24), to: null });
    await deployment.deliver();
    expect((await head()).vacation).toEqual({ from: Date.UTC(2026, 11, 24), to: null });
    await update({ isEnabled: false });
    expect((await head()).vacation).toBeNull();
  });

  test('keeps one of two updates at the same time whole', async () => {
    await Promise.all([update({ subject: 'one', textBody: 'one' }), update({ subject: 'two', textBody: 'two' })]);
    const [record] = (await get()) as { subject: string; textBody: string }[];
    expect(record!.subject).toBe(record!.textBody);
  });
});
