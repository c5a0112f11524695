import { setTimeout as timer } from 'node:timers/promises';
import { capability } from '../../../../contract/jmap/core.ts';
import { pushSubscriptionLimits } from '../../../../contract/jmap/push-subscription.ts';
import { subscriptionKey } from '../../../../core/push/listeners/push-subscription.ts';
import { withinInvocation } from '../../../../core/runtime/invocation.ts';
import { WriteRefused } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { newKeys, publicKeys } from '../../../support/push-receiver.ts';
import { wrappedTable } from '../../../support/wrapped-table.ts';
import { jmapDeployment, type Json, type JmapDeployment } from '../jmap-deployment.ts';

const url = 'https://push.example.net/abc';
const now = Date.parse('2026-11-21T08:00:00Z');
const inSeconds = (seconds: number) => `${new Date(now + seconds * 1000).toISOString().slice(0, 19)}Z`;
const { maxLife, maxSubscriptions, maxCreations } = pushSubscriptionLimits;

let deployment: JmapDeployment;
beforeEach(async () => {
  deployment = await jmapDeployment();
});

const call = async (method: 'get' | 'set', args: Json, token = 'alice'): Promise<Json> => {
  const [[name, response] = []] = await deployment.perform([[`PushSubscription/${method}`, args, 'c']], { token, using: [capability.core] });
  return { ...response!, ...(name === 'error' && { error: response!['type'] }) };
};
const create = async (properties: Json = {}, token = 'alice'): Promise<Json> =>
  call('set', { create: { new: { deviceClientId: 'phone', url, ...properties } } }, token);
const created = async (properties: Json = {}, token = 'alice'): Promise<string> => (await create(properties, token))['created']['new']['id'] as string;
const stored = (id: string, principalId = 'alice') => deployment.mail.get(subscriptionKey({ principalId, id }));
const codeOf = async (id: string): Promise<string> => (await stored(id))!['verificationCode'] as string;
const update = async (id: string, patch: Json, token = 'alice'): Promise<Json> => call('set', { update: { [id]: patch } }, token);
const list = async (token = 'alice'): Promise<Json[]> => (await call('get', {}, token))['list'] as Json[];

describe('PushSubscription/set create', () => {
  test('returns the id, and the default expiry', async () => {
    const answer = await create();
    expect(answer).toEqual({
      created: { new: { id: expect.any(String), keys: null, verificationCode: null, expires: inSeconds(maxLife), types: null } },
      updated: null,
      destroyed: null,
      notCreated: null,
      notUpdated: null,
      notDestroyed: null,
    });
  });

  test('enqueues the push of the verification code, and returns the code to no caller', async () => {
    const answer = await create({ keys: publicKeys(newKeys()) });
    const { id } = answer['created']['new'] as { id: string };
    expect(deployment.pushes.messages).toEqual([{ message: { principalId: 'alice', subscriptionId: id, verify: true }, delaySeconds: 0 }]);
    const code = await codeOf(id);
    expect(Buffer.from(code, 'base64url').length).toBeGreaterThanOrEqual(16);
    expect(JSON.stringify([answer, await call('get', {}), deployment.pushes.messages])).not.toContain(code);
  });

  test('stores the current sequences of the principal’s accounts', async () => {
    await deployment.deliver();
    const item = await stored(await created());
    expect(item!['told']).toEqual({ acc_alice: (await deployment.store.open('acc_alice'))!.sequence });
  });

  test.each([
    ['48 hours', 48 * 3600, 48 * 3600],
    ['a minute', 60, 60],
    ['7 days', 7 * 86_400, 7 * 86_400],
    ['a year', 365 * 86_400, maxLife],
  ])('limits an expiry in %s to the maximum lifetime', async (_title, requested, granted) => {
    const answer = await create({ expires: inSeconds(requested) });
    const properties = answer['created']['new'] as Json;
    expect('expires' in properties).toBe(requested !== granted);
    expect(await list()).toMatchObject([{ expires: inSeconds(granted) }]);
  });

  test('permits a lifetime of at least 7 days', () => {
    expect(maxLife).toBeGreaterThanOrEqual(7 * 86_400);
  });

  test('returns the default expiry when expires is null', async () => {
    expect(await create({ expires: null })).toMatchObject({ created: { new: { expires: inSeconds(maxLife) } } });
  });

  // @requirement 8620 §7.2 push-https
  test.each<[string, Json, string]>([
    // @pitfall push url
    ['a URL without encryption', { url: 'http://push.example.net/' }, 'url'],
    // @pitfall push url
    ['a URL at a private address', { url: 'https://10.0.0.1/' }, 'url'],
    ['a URL at the metadata service', { url: 'https://169.254.169.254/' }, 'url'],
    ['no URL', { url: undefined }, 'url'],
    ['an expiry in the past', { expires: inSeconds(-1) }, 'expires'],
    ['an expiry that is no date', { expires: 'tomorrow' }, 'expires'],
    ['a verification code', { verificationCode: 'x' }, 'verificationCode'],
    ['an id', { id: 'mine' }, 'id'],
    ['no device', { deviceClientId: '' }, 'deviceClientId'],
    ['a device name that is too long', { deviceClientId: 'x'.repeat(256) }, 'deviceClientId'],
    ['too many types', { types: Array.from({ length: 65 }, (_, index) => `T${index}`) }, 'types'],
    ['types that are not a list', { types: 'Email' }, 'types'],
    ['empty keys', { keys: {} }, 'keys'],
    ['keys not on the curve', { keys: { ...publicKeys(newKeys()), p256dh: Buffer.alloc(65, 4).toString('base64url') } }, 'keys'],
    ['a compressed key', { keys: { ...publicKeys(newKeys()), p256dh: newKeys().curve.getPublicKey('base64url', 'compressed') } }, 'keys'],
    ['a short secret', { keys: { ...publicKeys(newKeys()), auth: 'AAAA' } }, 'keys'],
    ['keys in plain base64', { keys: { ...publicKeys(newKeys()), auth: '+/+/+/+/+/+/+/+/+/+/+w==' } }, 'keys'],
    ['an unknown property', { accountId: 'acc_alice' }, 'accountId'],
  ])('refuses %s', async (_title, properties, property) => {
    expect((await create(properties))['notCreated']['new']).toMatchObject({ type: 'invalidProperties', properties: [property] });
    expect(await list()).toEqual([]);
    expect(deployment.pushes.messages).toEqual([]);
  });

  test('stores unknown types, without duplicates', async () => {
    const answer = await create({ types: ['Email', 'Todo', 'Email'] });
    expect(answer['created']['new']['types']).toEqual(['Email', 'Todo']);
    expect(await list()).toMatchObject([{ types: ['Email', 'Todo'] }]);
  });

  test('accepts keys with padding, and does not return them', async () => {
    const keys = publicKeys(newKeys());
    const answer = await create({ keys: { p256dh: `${keys.p256dh}=`, auth: `${keys.auth}==` } });
    expect(answer['created']['new']).not.toHaveProperty('keys');
    expect((await stored(answer['created']['new']['id'] as string))!['keys']).toEqual(keys);
  });

  test('removes the subscription when its verification can not be enqueued', async () => {
    Object.assign(deployment.pushes, {
      send: async () => {
        throw new Error('SQS is not available');
      },
    });
    expect(await create()).toMatchObject({ error: 'serverFail' });
    expect(await list()).toEqual([]);
  });

  test('refuses more than maxSubscriptions for a principal, also for concurrent creates', async () => {
    for (let index = 0; index < maxSubscriptions; index += 1) {
      await deployment.jmap.dependencies.webPush.subscriptions.add(
        {
          id: `P${index}`,
          principalId: 'alice',
          deviceClientId: 'old',
          url,
          verificationCode: 'x',
          isVerified: true,
          createdAt: now / 1000,
          expiresAt: now / 1000 + 60,
          types: null,
          notifiedUpTo: new Map(),
        },
        now / 1000 - 90_000 + index * 1000,
      );
    }
    expect(await create()).toMatchObject({ notCreated: { new: { type: 'overQuota' } } });
    await created({}, 'bob');
    await call('set', { destroy: ['P1'] });
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.filter((answer) => answer['created'] !== null)).toHaveLength(1);
    expect(await list()).toHaveLength(maxSubscriptions);
  });

  test('succeeds for 18 requests at once', async () => {
    deployment = await jmapDeployment({
      mail: wrappedTable(memoryTable(), async (call) => {
        await timer(10);
        return call();
      }),
    });
    const answers = await Promise.all(Array.from({ length: 18 }, () => create()));
    expect(answers.map((answer) => answer['notCreated'] as unknown)).toEqual(Array.from({ length: 18 }, () => null));
    expect(await list()).toHaveLength(18);
  });

  test('is serverUnavailable when other requests are always faster, and serverPartialFail after a part was written', async () => {
    let writes = 0;
    let writable = 0;
    const table = memoryTable();
    deployment = await jmapDeployment({
      mail: {
        ...table,
        write: (write) => {
          if (!JSON.stringify(write).includes('creations')) return table.write(write);
          writes += 1;
          return writes <= writable ? table.write(write) : Promise.reject(new WriteRefused([1], false));
        },
      },
    });
    const shortOfTime = { getRemainingTimeInMillis: () => 5100 };
    expect(await withinInvocation(shortOfTime, () => create())).toMatchObject({ error: 'serverUnavailable' });
    writable = writes + 1;
    const properties = { deviceClientId: 'phone', url };
    const answer = await withinInvocation(shortOfTime, () => call('set', { create: { one: properties, two: properties } }));
    expect(answer).toMatchObject({ error: 'serverPartialFail' });
    expect(await list()).toHaveLength(1);
  });

  test('refuses more than maxCreations in a window, also when subscriptions are destroyed', async () => {
    for (let index = 0; index < maxCreations; index += 1) await call('set', { destroy: [await created()] });
    expect(await create()).toMatchObject({ notCreated: { new: { type: 'rateLimit' } } });
    expect(deployment.pushes.messages).toHaveLength(maxCreations);
    await created({}, 'bob');
  });
});

describe('PushSubscription/get', () => {
  test('has no accountId and returns no state', async () => {
    const id = await created({ types: ['Email'] });
    expect(await call('get', { ids: null })).toEqual({
      list: [{ id, deviceClientId: 'phone', verificationCode: null, expires: inSeconds(maxLife), types: ['Email'] }],
      notFound: [],
    });
  });

  test('returns the requested ids and properties', async () => {
    const id = await created();
    expect(await call('get', { ids: [id, 'other'], properties: ['types'] })).toEqual({ list: [{ id, types: null }], notFound: ['other'] });
    expect(await call('get', { ids: [] })).toEqual({ list: [], notFound: [] });
  });

  // @requirement 8620 §7.2 push-secret
  test.each(['url', 'keys'])('refuses the write-only property %s', async (property) => {
    await created({ keys: publicKeys(newKeys()) });
    expect(JSON.stringify(await call('get', {}))).not.toContain('push.example.net');
    expect(await call('get', { properties: ['id', property] })).toMatchObject({ error: 'forbidden' });
  });

  test('returns the caller’s own subscriptions that have not expired', async () => {
    await created();
    const own = await created({}, 'bob');
    expect((await list('bob')).map(({ id }) => id as string)).toEqual([own]);
    await deployment.mail.write([{ update: subscriptionKey({ principalId: 'bob', id: own }), set: { expiresAt: now / 1000 } }]);
    expect(await list('bob')).toEqual([]);
    expect(await update(own, { types: null }, 'bob')).toMatchObject({ notUpdated: { [own]: { type: 'notFound' } } });
  });

  test('refuses accountId, ifInState and unknown properties', async () => {
    expect(await call('get', { accountId: 'acc_alice' })).toMatchObject({ error: 'invalidArguments' });
    expect(await call('set', { ifInState: 'x' })).toMatchObject({ error: 'invalidArguments' });
    expect(await call('get', { properties: ['nothing'] })).toMatchObject({ error: 'invalidArguments' });
  });

  test('requires MAIL_READ, as PushSubscription/set does', async () => {
    await created({}, 'reader');
    await created({}, 'machine');
    expect(await list('reader')).toHaveLength(1);
  });
});

describe('PushSubscription/set update of verificationCode', () => {
  test('verifies the subscription, and enqueues the push of changes since its creation', async () => {
    const id = await created();
    expect(await update(id, { verificationCode: await codeOf(id) })).toMatchObject({ updated: { [id]: null }, notUpdated: null });
    expect(await list()).toMatchObject([{ id, verificationCode: await codeOf(id) }]);
    expect(deployment.pushes.messages.slice(1)).toEqual([{ message: { principalId: 'alice', subscriptionId: id, changed: {} }, delaySeconds: 0 }]);
  });

  test.each(['wrong', '', 'x'.repeat(32)])('refuses the wrong code %j', async (verificationCode) => {
    const id = await created();
    expect((await update(id, { verificationCode }))['notUpdated'][id]).toMatchObject({ type: 'invalidProperties', properties: ['verificationCode'] });
    expect(await stored(id)).toMatchObject({ isVerified: false });
    expect(deployment.pushes.messages).toHaveLength(1);
  });

  test('with a wrong code changes no other property', async () => {
    const id = await created();
    await update(id, { verificationCode: 'wrong', types: ['Email'] });
    expect(await list()).toMatchObject([{ types: null }]);
  });

  test('accepts the same code again, and refuses another one', async () => {
    const id = await created();
    const verificationCode = await codeOf(id);
    await update(id, { verificationCode });
    expect(await update(id, { verificationCode })).toMatchObject({ updated: { [id]: null } });
    for (const wrong of ['wrong', null]) {
      expect(await update(id, { verificationCode: wrong })).toMatchObject({ notUpdated: { [id]: { type: 'invalidProperties' } } });
    }
    expect(await stored(id)).toMatchObject({ isVerified: true });
  });

  test('refuses a subscription that does not exist', async () => {
    for (const id of ['other', '', 'x'.repeat(2000)]) {
      expect(await update(id, { verificationCode: 'x' })).toMatchObject({ notUpdated: { [id]: { type: 'notFound' } } });
    }
  });

  // @requirement 8620 §7.2 push-own
  test('refuses the subscription of another principal', async () => {
    const id = await created();
    expect(await update(id, { verificationCode: await codeOf(id) }, 'bob')).toMatchObject({ notUpdated: { [id]: { type: 'notFound' } } });
  });
});

describe('PushSubscription/set update and destroy', () => {
  test('changes types and expires, and limits the expiry', async () => {
    const id = await created({ expires: inSeconds(3600) });
    expect(await update(id, { types: ['Mailbox'], expires: inSeconds(7200) })).toMatchObject({ updated: { [id]: null } });
    expect(await update(id, { expires: inSeconds(400 * 86_400) })).toMatchObject({ updated: { [id]: { expires: inSeconds(maxLife) } } });
    expect(await update(id, { expires: null, types: null })).toMatchObject({ updated: { [id]: { expires: inSeconds(maxLife) } } });
    expect(await list()).toMatchObject([{ types: null, expires: inSeconds(maxLife) }]);
  });

  test.each<[string, Json, string]>([
    ['the past', { expires: inSeconds(0) }, 'expires'],
    ['another URL', { url: 'https://push.example.net/other' }, 'url'],
    ['other keys', { keys: publicKeys(newKeys()) }, 'keys'],
    ['another device', { deviceClientId: 'tablet' }, 'deviceClientId'],
  ])('refuses %s', async (_title, patch, property) => {
    const id = await created();
    expect(await update(id, patch)).toMatchObject({ notUpdated: { [id]: { type: 'invalidProperties', properties: [property] } } });
  });

  // @requirement 8620 §5.3 set-patch-array
  test('refuses a patch into a list with invalidPatch', async () => {
    const id = await created({ types: ['Email'] });
    expect(await update(id, { 'types/0': 'Mailbox' })).toMatchObject({ notUpdated: { [id]: { type: 'invalidPatch' } } });
    expect(await list()).toMatchObject([{ types: ['Email'] }]);
  });

  test('destroys a subscription with its URL and keys', async () => {
    const id = await created({ keys: publicKeys(newKeys()) });
    expect(await call('set', { destroy: [id] }, 'bob')).toMatchObject({ notDestroyed: { [id]: { type: 'notFound' } } });
    expect(await call('set', { update: { [id]: { types: [] } }, destroy: [id, 'other'] })).toMatchObject({
      notUpdated: { [id]: { type: 'willDestroy' } },
      destroyed: [id],
      notDestroyed: { other: { type: 'notFound' } },
    });
    expect(await stored(id)).toBeUndefined();
  });

  test('an update after a concurrent destroy does not restore the subscription', async () => {
    const id = await created();
    const { subscriptions } = deployment.jmap.dependencies.webPush;
    await subscriptions.remove({ principalId: 'alice', id });
    expect(await subscriptions.change({ principalId: 'alice', id }, { isVerified: true })).toBe(false);
    expect(await subscriptions.recordPush({ principalId: 'alice', id }, new Map(), undefined)).toBe(false);
    expect(await stored(id)).toBeUndefined();
  });

  test('accepts a creation id in the same call and in later calls', async () => {
    const responses = await deployment.perform(
      [
        ['PushSubscription/set', { create: { new: { deviceClientId: 'phone', url } }, update: { '#new': { types: ['Email'] } } }, 'a'],
        ['PushSubscription/set', { destroy: ['#new'] }, 'b'],
      ],
      { using: [capability.core] },
    );
    const id = responses[0]![1]['created']['new']['id'] as string;
    expect(responses[0]![1]['updated']).toEqual({ [id]: null });
    expect(responses[1]![1]['destroyed']).toEqual([id]);
  });

  test('refuses more than maxObjectsInSet records', async () => {
    expect(await call('set', { destroy: Array.from({ length: 501 }, (_, index) => `P${index}`) })).toMatchObject({ error: 'requestTooLarge' });
  });
});
