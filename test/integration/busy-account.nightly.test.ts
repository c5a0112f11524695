import { setTimeout as delay } from 'node:timers/promises';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { accessTokenOf } from './access-tokens.ts';
import { describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient, type Result } from './jmap-client.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';

const range = (length: number) => Array.from({ length }, (_, index) => index);

/**
 * Milliseconds after which the test counts as hanging. On a busy machine the emulator responds late, so that deliveries
 * fail and SQS delivers them again, some of them only after the visibility timeout of six minutes.
 */
const hang = 1_200_000;

/** Whether servers repeat a message after this SMTP failure (RFC 5321 §4.5.4.1): a reply 4yz, or no reply in time. */
const isTemporary = (error: unknown): boolean => {
  const { responseCode = 0, code } = error as { responseCode?: number; code?: string };
  return (responseCode >= 400 && responseCode < 500) || ['ETIMEDOUT', 'ECONNECTION', 'ESOCKET'].includes(code ?? '');
};

/**
 * Sends a message as servers do.
 * @returns its failures. After each of them, the message may still have been delivered.
 */
const sendAsServersDo = async (to: string, subject: string): Promise<number> => {
  for (let failures = 0; ; failures += 1) {
    try {
      await sendBySmtp([to], { subject, text: 'Hello' });
      return failures;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await delay(500);
    }
  }
};

/** Makes a change as clients do: it is repeated while the server is busy (RFC 8620 §3.6.2, serverUnavailable). */
const update = async (client: JmapClient, emailId: string, patch: object): Promise<Result> => {
  for (;;) {
    const [result] = await client.call(['Email/set', { update: { [emailId]: patch } }]);
    if (result!['type'] !== 'serverUnavailable') return result!;
    await delay(500);
  }
};

// That no writer gives up when the machine is not busy is shown with a simulated time: test/core/account-index/busy-account.test.ts.
describeWith('users', 'smtp')('100 deliveries and 10 clients that write to one account at once', () => {
  const mark = uniqueSubject('Busy');
  let client: JmapClient;
  let inMailbox: string;
  let before: string;
  beforeAll(async () => {
    client = await jmapClient(await accessTokenOf('bob'));
    inMailbox = await mailboxIdOf(client, 'inbox');
    before = (await client.call(['Email/get', { ids: [] }]))[0]!['state'] as string;
  }, hang);

  /** Subjects of the messages that were received since the test began. */
  const arrived = async (): Promise<string[]> => {
    const [changes, emails] = await client.call(
      ['Email/changes', { sinceState: before }],
      ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/changes', path: '/created' }, properties: ['subject'] }],
    );
    expect(changes!['hasMoreChanges']).toBe(false);
    return (emails!['list'] as { subject: string }[]).map(({ subject }) => subject).filter((subject) => subject.startsWith(mark));
  };

  test(
    'every change is made and every message is stored once, also when the server asks some clients to retry',
    async () => {
      const [query] = await client.call(['Email/query', { filter: { inMailbox }, limit: 1 }]);
      const [emailId] = query!['ids'] as [string];
      // The deliver Lambdas are the load here, not the SMTP server: it refuses mail when the emulator does not answer at once.
      const sending = mapConcurrently(range(100), (number) => sendAsServersDo(sandboxUser('bob').email, `${mark} ${number}`), { atOnce: 10 });
      const changing = mapConcurrently(range(10), async (writer) => {
        const results: Result[] = [];
        for (const number of range(6)) results.push(await update(client, emailId, { [`keywords/busy-${writer}-${number}`]: true }));
        return results;
      });
      const [failures, results] = await Promise.all([sending, changing]);
      expect(results.flat().filter((result) => result['failed'] || result['notUpdated'])).toEqual([]);
      expect(results.flat()).toHaveLength(60);
      await eventually(
        async () => {
          expect(new Set(await arrived()).size).toBe(100);
        },
        500,
        hang,
      );
      expect((await arrived()).length).toBeLessThanOrEqual(100 + failures.reduce((sum, each) => sum + each, 0));
      const [email] = await client.call(['Email/get', { ids: [emailId], properties: ['keywords'] }]);
      const [{ keywords }] = email!['list'] as [{ keywords: Record<string, true> }];
      expect(Object.keys(keywords).filter((keyword) => keyword.startsWith('busy-'))).toHaveLength(60);
      await update(client, emailId, { keywords: {} });
    },
    hang,
  );
});
