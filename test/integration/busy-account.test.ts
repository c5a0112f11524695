import { sideBySide } from '../../core/runtime/side-by-side.ts';
import { accessTokenOf } from './access-tokens.ts';
import { describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient, type Result } from './jmap-client.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';

const range = (length: number) => Array.from({ length }, (_, index) => index);

describeWith('users', 'smtp')('100 deliveries and 10 clients that write to one account at once', () => {
  const mark = uniqueSubject('Busy');
  let client: JmapClient;
  let inMailbox: string;
  let before: string;
  beforeAll(async () => {
    client = await jmapClient(await accessTokenOf('bob'));
    inMailbox = await mailboxIdOf(client, 'inbox');
    before = (await client.call(['Email/get', { ids: [] }]))[0]!['state'] as string;
  }, 60_000);

  /** Subjects of the messages that arrived since the test began. */
  const arrived = async (): Promise<string[]> => {
    const [changes, emails] = await client.call(
      ['Email/changes', { sinceState: before }],
      ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/changes', path: '/created' }, properties: ['subject'] }],
    );
    expect(changes!['hasMoreChanges']).toBe(false);
    return (emails!['list'] as { subject: string }[]).map(({ subject }) => subject).filter((subject) => subject.startsWith(mark));
  };

  test('every call succeeds, and all mail is there once, soon after it arrived', async () => {
    const [query] = await client.call(['Email/query', { filter: { inMailbox }, limit: 1 }]);
    const [emailId] = query!['ids'] as string[];
    // The deliver Lambdas are the load here, not the SMTP server: it refuses mail when the emulator does not answer at once.
    const sent = sideBySide(
      range(100), (number) => sendBySmtp([sandboxUser('bob').email], { subject: `${mark} ${number}`, text: 'Hello' }), { atOnce: 10 },
    );
    const changes = range(10).map(async (writer): Promise<Result[]> => {
      const results: Result[] = [];
      for (const number of range(6)) {
        results.push(...await client.call(['Email/set', { update: { [emailId!]: { [`keywords/busy-${writer}-${number}`]: true } } }]));
      }
      return results;
    });
    const results = (await Promise.all(changes)).flat();
    expect(results.filter((result) => result['failed'] || result['notUpdated'])).toEqual([]);
    expect(results).toHaveLength(60);
    await sent;
    await eventually(async () => { expect(await arrived()).toHaveLength(100); }, 500);
    expect(new Set(await arrived()).size).toBe(100);
    const [email] = await client.call(['Email/get', { ids: [emailId], properties: ['keywords'] }]);
    const [{ keywords }] = email!['list'] as [{ keywords: Record<string, true> }];
    expect(Object.keys(keywords).filter((keyword) => keyword.startsWith('busy-'))).toHaveLength(60);
    await client.call(['Email/set', { update: { [emailId!]: { keywords: {} } } }]);
  }, 120_000);
});
