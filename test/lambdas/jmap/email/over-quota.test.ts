import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

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
    const emails = await Promise.all(
      names.map(async (name) => [name, { blobId: await deployment.upload(message(name)), mailboxIds: { [inbox]: true } }] as const),
    );
    return deployment.call('Email/import', { emails: Object.fromEntries(emails) });
  };
  const total = async () => (await deployment.call('Email/query', { calculateTotal: true }))['total'] as number;
  const overQuota = { type: 'overQuota', description: expect.stringContaining('The account is full') as string };

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
    expect(await importAll('b')).toMatchObject({ created: {}, notCreated: { b: overQuota } });
    await deployment.call('Email/set', { destroy: [created.a.id] });
    expect(await importAll('b')).toMatchObject({ notCreated: {} });
    await deployment.store.setQuota(accountId, { octets: 400 });
    expect(await importAll('c')).toMatchObject({ notCreated: {} });
  });

  test('is not exceeded by two imports at once', async () => {
    await begin({ octets: 200, count: 100 });
    const [one, other] = await Promise.all([importAll('a'), importAll('b')]);
    expect([one, other].filter(({ created }) => Object.keys(created as Json).length > 0)).toHaveLength(1);
    expect(await total()).toBe(1);
  });

  test('is not exceeded by an import of several transactions, between which mail arrives', async () => {
    await begin({ octets: 1_000_000, count: 62 });
    await deployment.deliver({ id: 'first' });
    const names = Array.from({ length: 60 }, (_, index) => `m${index}`);
    const write = deployment.mail.write.bind(deployment.mail);
    let transactions = 0;
    deployment.mail.write = async (writes) => {
      await write(writes);
      if (++transactions > 1) return;
      for (let index = 0; index < 5; index++) await deployment.deliver({ id: `between${index}` });
    };
    const { created, notCreated } = await importAll(...names);
    expect(transactions).toBeGreaterThan(2);
    expect([Object.keys(created as Json).length, await total()]).toEqual([56, 62]);
    expect(notCreated).toEqual(Object.fromEntries(names.slice(56).map((name) => [name, overQuota])));
  });

  test('counts what a call of several transactions destroys before what it creates, though another client commits between them', async () => {
    await begin({ octets: 1_000_000, count: 64 });
    const old = await Promise.all(Array.from({ length: 60 }, (_, index) => deployment.deliver({ id: `old${index}` })));
    const write = deployment.mail.write.bind(deployment.mail);
    let transactions = 0;
    deployment.mail.write = async (writes) => {
      await write(writes);
      if (++transactions === 1) await deployment.call('Mailbox/set', { create: { new: { name: 'New' } } });
    };
    const create = Object.fromEntries(old.map((_, index) => [`d${index}`, { mailboxIds: { [inbox]: true }, subject: `Draft ${index}` }]));
    const { created, notCreated, destroyed } = await deployment.call('Email/set', { create, destroy: old });
    expect([Object.keys(created as Json).length, notCreated, (destroyed as string[]).length, await total()]).toEqual([60, null, 60, 60]);
  });

  test('lets its Emails be moved and read', async () => {
    await begin({ octets: 200, count: 1 });
    const { created } = await importAll('a');
    expect(await deployment.call('Email/set', { update: { [created.a.id]: { 'keywords/$seen': true } } })).toMatchObject({ notUpdated: null });
  });
});
