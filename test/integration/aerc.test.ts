import { accessTokenOf } from './access-tokens.ts';
import { hasAerc, startAerc, type Aerc } from './aerc.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, mailboxIdOf, type JmapClient } from './jmap-client.ts';
import { rawMessagesTo } from './outbox.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';

const describeAerc = hasAerc()
  ? describeWith('users', 'mail')
  : (title: string, body: () => void): void => describe.skip(`${title} [skipped: needs aerc 0.16 or newer in the PATH]`, body);

describeAerc('the mail client aerc', () => {
  let aerc: Aerc;
  let alice: JmapClient;
  beforeAll(async () => {
    const token = await accessTokenOf('alice');
    alice = await jmapClient(token);
    aerc = await startAerc(`${deployed.jmapUrl}/.well-known/jmap`, sandboxUser('alice').email, token);
  });
  afterAll(() => aerc.stop());

  const newestInbox = async (): Promise<{ id: string; subject: string; keywords: Record<string, true> }> => {
    const [mailboxes] = await alice.call(['Mailbox/query', { filter: { role: 'inbox' } }]);
    const [, emails] = await alice.call(
      ['Email/query', { filter: { inMailbox: (mailboxes!['ids'] as string[])[0] }, sort: [{ property: 'receivedAt', isAscending: false }], limit: 1 }],
      ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties: ['subject', 'keywords'] }],
    );
    return (emails!['list'] as never[])[0]!;
  };

  /** aerc writes only the characters that change, so it has to draw the whole screen again. */
  const expectShown = async (text: string): Promise<void> => {
    aerc.command(':redraw');
    expect(aerc.hasShown(text)).toBe(true);
  };

  test('lists a message that arrives, reads it and flags it', async () => {
    await eventually(async () => expect(aerc.hasShown('Inbox')).toBe(true));
    const subject = uniqueSubject('aerc');
    await sendMail([sandboxUser('alice').email], { subject, text: 'Hello' });
    await eventually(async () => expect((await newestInbox()).subject).toBe(subject));
    await eventually(() => expectShown(subject));
    aerc.command(':select 0');
    aerc.command(':flag -x flagged');
    await eventually(async () => expect((await newestInbox()).keywords).toEqual({ $flagged: true }));
    aerc.command(':read');
    await eventually(async () => expect((await newestInbox()).keywords).toEqual({ $flagged: true, $seen: true }));
  });

  test('lists each of several messages that arrive while it is open', async () => {
    await eventually(async () => expect(aerc.hasShown('Inbox')).toBe(true));
    for (let number = 0; number < 3; number++) {
      const subject = uniqueSubject('aerc');
      await sendMail([sandboxUser('alice').email], { subject, text: 'Hello' });
      await eventually(() => expectShown(subject));
    }
  });

  test('sends a message, which is then in Sent and is delivered', async () => {
    const [subject, to] = [uniqueSubject('aerc'), 'carol@elsewhere.test'];
    aerc.command(`:compose -s -H "To: ${to}" -H "Subject: ${subject}" Hello`);
    await eventually(async () => expect(aerc.hasShown('Send this email?')).toBe(true));
    aerc.command(':send');
    await rawMessagesTo([to], subject);
    await eventually(async () => {
      const [, emails] = await alice.call(
        ['Email/query', { filter: { inMailbox: await mailboxIdOf(alice, 'sent'), subject } }],
        ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties: ['keywords'] }],
      );
      expect(emails!['list']).toEqual([{ id: expect.any(String), keywords: { $seen: true } }]);
    });
  });
});
