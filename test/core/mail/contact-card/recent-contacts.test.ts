import { recentContactRules } from '../../../../contract/jmap/contact-card.ts';
import { accountSendLimitsIn } from '../../../../core/mail/account-send-limits.ts';
import { submissionDeploymentPerTest } from '../../../lambdas/jmap/email-submission/submission-deployment.ts';
import type { Json } from '../../../lambdas/jmap/jmap-deployment.ts';

describe('people to whom an account sends mail', () => {
  const deployment = submissionDeploymentPerTest();
  const call = (name: string, args: Json): Promise<Json> => deployment.call(name, args);
  const sendTo = async (...fields: string[]) => deployment.send(await deployment.draft(['From: alice@example.test', ...fields]));
  const cards = async (): Promise<readonly Json[]> => (await call('ContactCard/get', { ids: null }))['list'];
  const addresses = async () => (await cards()).map((card) => card['emails'].e1.address as string).sort();
  const limits = () => accountSendLimitsIn(deployment.mail, { perMinute: 600, perDay: 700 });

  test('are kept in the AddressBook Recent, with their names', async () => {
    await sendTo('To: Bob <bob@example.net>', 'Cc: carl@example.net', 'Bcc: "D. E." <d@example.net>');
    expect(await addresses()).toEqual(['bob@example.net', 'carl@example.net', 'd@example.net']);
    expect((await cards()).find((card) => card['emails'].e1.address === 'bob@example.net')).toMatchObject({
      '@type': 'Card',
      version: '1.0',
      uid: expect.stringMatching(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/),
      addressBookIds: { recent: true },
      name: { full: 'Bob' },
      created: '2026-11-21T08:00:00Z',
      updated: '2026-11-21T08:00:00Z',
    });
    const books = (await call('AddressBook/get', { ids: null }))['list'] as Json[];
    expect(books.map(({ id, name, isDefault }) => [id, name, isDefault])).toEqual([
      ['default', 'Contacts', true],
      ['recent', 'Recent', false],
    ]);
  });

  test('are kept once, and are updated when mail is sent to them on another day', async () => {
    await sendTo('To: bob@example.net');
    deployment.later(3600);
    await sendTo('To: BOB@example.net');
    const [first] = await cards();
    expect(first).toMatchObject({ updated: '2026-11-21T08:00:00Z' });
    await call('ContactCard/set', { update: { [first!['id'] as string]: { updated: '2026-11-19T08:00:00Z' } } });
    await sendTo('To: bob@example.net');
    expect(await cards()).toMatchObject([{ id: first!['id'], created: '2026-11-21T08:00:00Z', updated: '2026-11-21T09:00:00Z' }]);
  });

  test('are one in both forms of a domain and with needless quotes, and their names are found', async () => {
    await sendTo('To: Bär <b@bücher.example>');
    expect(await cards()).toMatchObject([{ name: { full: 'Bär' }, emails: { e1: { address: 'b@xn--bcher-kva.example' } } }]);
    await sendTo('To: b@xn--bcher-kva.example', 'Cc: "b"@BÜCHER.example');
    expect(await cards()).toHaveLength(1);
    await call('ContactCard/set', { create: { c: { addressBookIds: { default: true }, emails: { e: { address: 'd@bücher.example' } } } } });
    await sendTo('To: d@xn--bcher-kva.example');
    expect(await cards()).toHaveLength(2);
    for (const email of ['bücher.example', 'xn--bcher-kva.example', 'B@BÜCHER']) {
      expect((await call('ContactCard/query', { filter: { email } }))['ids'].length).toBeGreaterThan(0);
    }
    expect((await call('ContactCard/query', { filter: { email: 'bücher' } }))['ids']).toHaveLength(2);
  });

  test('are not kept when they are in another AddressBook, or when the message has many recipients', async () => {
    await call('ContactCard/set', { create: { c: { addressBookIds: { default: true }, emails: { work: { address: 'Bob@Example.net' } } } } });
    await sendTo('To: bob@example.net');
    await sendTo(`To: ${Array.from({ length: 11 }, (_, i) => `m${i}@example.net`).join(', ')}`);
    expect(await cards()).toHaveLength(1);
  });

  test('are not kept while the setting of the account is off', async () => {
    expect(await limits().set('acc_alice', { keepsRecentContacts: false })).toMatchObject({ perMinute: 600, keepsRecentContacts: false });
    await sendTo('To: bob@example.net');
    expect(await cards()).toEqual([]);
    expect(await limits().set('acc_alice', { keepsRecentContacts: true })).toMatchObject({ keepsRecentContacts: true });
    await sendTo('To: bob@example.net');
    expect(await addresses()).toEqual(['bob@example.net']);
  });

  test('replace those to whom mail was sent least recently', async () => {
    await sendTo('To: bob@example.net');
    const create = Object.fromEntries(
      Array.from({ length: recentContactRules.maxRecentContacts - 1 }, (_, i) => [
        `c${i}`,
        {
          addressBookIds: { recent: true },
          updated: i === 7 ? '2026-01-01T00:00:00Z' : '2026-11-21T09:00:00Z',
          emails: { e1: { address: `p${i}@example.net` } },
        },
      ]),
    );
    expect((await call('ContactCard/set', { create }))['notCreated']).toBeNull();
    await sendTo('To: new@example.net');
    const kept = await addresses();
    expect(kept).toHaveLength(recentContactRules.maxRecentContacts);
    expect([kept.includes('p7@example.net'), kept.includes('new@example.net')]).toEqual([false, true]);
  });

  test('cost no further trip to DynamoDB', async () => {
    const trips = async (to: string) => {
      const emailId = await deployment.draft(['From: alice@example.test', `To: ${to}`]);
      return deployment.tripsOf(() => deployment.send(emailId));
    };
    await trips('first@example.net');
    const withNew = await trips('second@example.net');
    expect(withNew).toBe(await trips('second@example.net'));
  });
});
