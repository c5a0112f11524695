import { coreLimits, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { newEmail } from '../../../support/email-fixtures.ts';
import { wrappedTable } from '../../../support/wrapped-table.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const { maxObjectsInGet } = coreLimits;
const { maxSizeResponse, maxEmailContentsInRequest, maxRawMessagesInRequest } = unadvertisedLimits;
const accountId = 'acc_alice';
/** The properties in the specification's example. */
const properties = ['subject', 'from', 'preview', 'receivedAt', 'mailboxIds'];

const deliverMany = async (deployment: JmapDeployment, count: number, preview = 'Hello'): Promise<void> => {
  for (let index = 0; index < count; index += 1) await deployment.store.deliver(accountId, newEmail(index, { preview }));
};

/** A deployment that counts the keys of its BatchGets. It holds no record of an Email. */
const countingDeployment = async () => {
  const read = { keys: 0 };
  const mail = memoryTable();
  const deployment = await jmapDeployment({
    heldCharacters: 0,
    mail: {
      ...wrappedTable(mail, (call) => call()),
      batchGet: (keys) => {
        read.keys += keys.length;
        return mail.batchGet(keys);
      },
    },
  });
  return { deployment, read };
};

describe('the initial sync of an account with maxObjectsInGet Emails', () => {
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment({ heldCharacters: 0 });
    await deliverMany(deployment, maxObjectsInGet);
  });

  test('is one Email/get with ids null', async () => {
    const { list, state } = await deployment.call('Email/get', { ids: null, properties });
    expect(new Set((list as Json[]).map(({ id }) => id as string)).size).toBe(maxObjectsInGet);
    expect((list as Json[])[0]).toMatchObject({ subject: expect.any(String) as string, preview: 'Hello' });
    expect(await deployment.call('Email/changes', { sinceState: state })).toMatchObject({ created: [], hasMoreChanges: false });
  });

  test('takes 15 round trips when warm: one for the account, 14 for batches of 100 records, four at a time', async () => {
    await deployment.call('Mailbox/get');
    expect(await deployment.tripsOf(() => deployment.call('Email/get', { ids: null, properties }))).toBe(15);
    expect(await deployment.tripsOf(() => deployment.call('Email/get', { ids: null, properties: ['mailboxIds', 'keywords'] }))).toBe(1);
  });

  test('returns the Emails in the order of ids', async () => {
    const { ids } = await deployment.call('Email/query', { limit: 1000 });
    const { list } = await deployment.call('Email/get', { ids, properties: ['subject'] });
    expect((list as Json[]).map(({ id }) => id as string)).toEqual(ids);
  });

  test('is repeated by Email/changes and an Email/get of all that it created', async () => {
    const since = (await deployment.store.open('acc_bob'))!.state('Email');
    const reference = { resultOf: 'changes', name: 'Email/changes', path: '/created' };
    const [[, changed], [, got]] = (await deployment.perform([
      ['Email/changes', { accountId, sinceState: since }, 'changes'],
      ['Email/get', { accountId, '#ids': reference, properties }, 'get'],
    ])) as unknown as [[string, Json], [string, Json]];
    expect(changed['created']).toHaveLength(maxObjectsInGet);
    expect(got['list']).toHaveLength(maxObjectsInGet);
  });

  test('refuses one Email more with requestTooLarge', async () => {
    await deployment.store.deliver(accountId, newEmail('more'));
    expect(await deployment.call('Email/get', { ids: null, properties: ['id'] })).toMatchObject({
      type: 'requestTooLarge',
      description: expect.stringContaining('maxObjectsInGet') as string,
    });
  });
});

describe('Emails that are larger than a response', () => {
  test('are refused with requestTooLarge, after about as many records are read as a response can hold', async () => {
    const { deployment, read } = await countingDeployment();
    const preview = 'ü'.repeat(20_000);
    await deliverMany(deployment, 1000, preview);
    read.keys = 0;
    const responses = await deployment.perform([
      ['Email/get', { accountId, ids: null, properties: ['preview'] }, 'a'],
      ['Email/get', { accountId, ids: null, properties: ['subject'] }, 'b'],
    ]);
    expect(responses).toMatchObject([
      ['error', { type: 'requestTooLarge' }, 'a'],
      ['Email/get', {}, 'b'],
    ]);
    const batch = 100;
    expect(read.keys - 1000).toBeLessThanOrEqual(maxSizeResponse / preview.length + batch);
  });

  test('count together with the earlier responses of the request', async () => {
    const { deployment, read } = await countingDeployment();
    await deliverMany(deployment, 300, 'x'.repeat(8000));
    read.keys = 0;
    const get = (id: string) => ['Email/get', { accountId, ids: null, properties: ['preview'] }, id] as const;
    const responses = await deployment.perform([get('a'), get('b'), get('c')]);
    expect(responses.map(([name]) => name)).toEqual(['Email/get', 'Email/get', 'error']);
    expect(read.keys).toBe(300 + 300 + 200);
  });
});

describe('the Emails that the calls of a request read', () => {
  test('are at most maxEmailContentsInRequest; Emails in memory do not count', async () => {
    const { deployment, read } = await countingDeployment();
    const count = maxEmailContentsInRequest / 4;
    await deliverMany(deployment, count, '');
    read.keys = 0;
    const get = (id: number, names: readonly string[]) => ['Email/get', { accountId, ids: null, properties: names }, `${id}`] as const;
    const responses = await deployment.perform([0, 1, 2, 3, 4, 5].map((id) => get(id, id === 5 ? ['keywords'] : ['preview'])));
    expect(responses.map(([name]) => name)).toEqual(['Email/get', 'Email/get', 'Email/get', 'Email/get', 'error', 'Email/get']);
    expect(responses[4]![1]).toMatchObject({ type: 'requestTooLarge' });
    expect(read.keys).toBe(maxEmailContentsInRequest);
  });

  test('are at most maxRawMessagesInRequest with header fields or body values', async () => {
    const deployment = await jmapDeployment();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push(await deployment.deliver());
    const missing = Array.from({ length: maxRawMessagesInRequest }, (_, index) => `Mmissing${index}`);
    expect(await deployment.call('Email/get', { ids: [...missing, ...ids], properties: ['header:X'] })).toMatchObject({ list: [{}, {}, {}] });
    const many = await jmapDeployment();
    await deliverMany(many, maxRawMessagesInRequest + 1);
    for (const args of [{ properties: ['header:Subject'] }, { properties: ['bodyValues'], fetchTextBodyValues: true }, { properties: ['headers'] }]) {
      expect(await many.call('Email/get', { ids: null, ...args })).toMatchObject({
        type: 'requestTooLarge',
        description: expect.stringContaining('maxRawMessagesInRequest') as string,
      });
    }
  });
});
