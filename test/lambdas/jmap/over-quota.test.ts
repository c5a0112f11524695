import { jmapDeployment, type JmapDeployment, type Json } from './jmap-deployment.ts';

const accountId = 'acc_alice';

/** A message of exactly 200 octets. */
const message = (name: string): Buffer => {
  const head = `From: a@example.net\r\nSubject: ${name}\r\n\r\n`;
  return Buffer.from(`${head}${'x'.repeat(198 - head.length)}\r\n`);
};

describe('an account at its quota', () => {
  let deployment: JmapDeployment;
  let inbox: string;
  const begin = async (quotaDefaults: { octets: number; count: number }) => {
    deployment = await jmapDeployment({ quotaDefaults });
    inbox = (await deployment.roles())['inbox']!;
  };

  const importAll = async (...names: readonly string[]): Promise<Json> => {
    const emails = await Promise.all(names.map(async (name) =>
      [name, { blobId: await deployment.upload(message(name)), mailboxIds: { [inbox]: true } }] as const));
    return deployment.call('Email/import', { emails: Object.fromEntries(emails) });
  };
  const total = async () => (await deployment.call('Email/query', { calculateTotal: true }))['total'] as number;
  const overQuota = { type: 'overQuota', description: expect.stringContaining('Destroy Emails') as string };

  // @requirement 8621 §4.8 import-over-quota
  test('imports what fits into its octets, and refuses the rest with overQuota', async () => {
    await begin({ octets: 500, count: 100 });
    const { created, notCreated } = await importAll('a', 'b', 'c');
    expect(Object.keys(created as Json)).toEqual(['a', 'b']);
    expect(notCreated).toEqual({ c: overQuota });
    expect(await total()).toBe(2);
  });

  test('imports as many Emails as it may have', async () => {
    await begin({ octets: 1_000_000, count: 2 });
    expect(await importAll('a', 'b', 'c')).toMatchObject({ notCreated: { c: overQuota } });
    expect(await total()).toBe(2);
  });

  test('takes Emails again after others were destroyed, and after its limit was raised', async () => {
    await begin({ octets: 200, count: 100 });
    const { created } = await importAll('a');
    expect(await importAll('b')).toMatchObject({ created: null, notCreated: { b: overQuota } });
    await deployment.call('Email/set', { destroy: [created.a.id] });
    expect(await importAll('b')).toMatchObject({ notCreated: null });
    await deployment.store.setQuota(accountId, { octets: 400 });
    expect(await importAll('c')).toMatchObject({ notCreated: null });
  });

  test('is not exceeded by two imports at once', async () => {
    await begin({ octets: 200, count: 100 });
    const [one, other] = await Promise.all([importAll('a'), importAll('b')]);
    expect([one, other].filter(({ created }) => created !== null)).toHaveLength(1);
    expect(await total()).toBe(1);
  });

  test('lets its Emails be moved and read', async () => {
    await begin({ octets: 200, count: 1 });
    const { created } = await importAll('a');
    expect(await deployment.call('Email/set', { update: { [created.a.id]: { 'keywords/$seen': true } } })).toMatchObject({ notUpdated: null });
  });
});
