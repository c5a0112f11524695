import { randomBytes } from 'node:crypto';
import { Route53Client } from '@aws-sdk/client-route-53';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { createHostedZone } from './hosted-zone.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox, receivedEmail, type JmapClient, type MailboxEmail } from './jmap-client.ts';
import { sendBySmtp, sendMail, uniqueSubject } from './send-by-smtp.ts';
import { listenToNotifications, type Notifications } from './ses-notifications.ts';

const properties = ['id', 'subject', 'from', 'to', 'hasAttachment', 'attachments', 'preview', 'mailboxIds', 'keywords', 'receivedAt', 'size', 'threadId'];

const findInInbox = (client: JmapClient, subject: string): Promise<MailboxEmail> => receivedEmail(client, 'inbox', subject, properties);

const emailState = async (client: JmapClient): Promise<string> => {
  const [answer] = await client.call(['Email/get', { ids: [] }]);
  return answer!['state'] as string;
};

describeWith('users', 'smtp')('a message by SMTP to two users', () => {
  const subject = uniqueSubject('Grüße aus Żółw — 今日は 🚀');
  const attachment = randomBytes(150_000);
  /** A content that exceeds the maximum response of the blobs Lambda. */
  const large = randomBytes(6_000_000);
  let alice: JmapClient;
  let bob: JmapClient;
  let notifications: Notifications;
  let before: string;
  let email: MailboxEmail;

  beforeAll(async () => {
    alice = await jmapClient(await accessTokenOf('alice'));
    bob = await jmapClient(await accessTokenOf('bob'));
    notifications = await listenToNotifications();
    before = await emailState(alice);
  });
  afterAll(() => notifications.close());

  test('is in both inboxes within 5 seconds', async () => {
    await sendBySmtp([sandboxUser('alice').email, sandboxUser('bob').email], {
      subject,
      text: 'Hello,\n\nsee what I found.\n',
      attachments: [
        { filename: 'Fundstück.bin', content: attachment },
        { filename: 'large.bin', content: large },
      ],
    });
    [email] = await Promise.all([findInInbox(alice, subject), findInInbox(bob, subject)]);
    expect(email).toMatchObject({
      from: [{ email: 'carol@elsewhere.test' }],
      to: [{ email: sandboxUser('alice').email }, { email: sandboxUser('bob').email }],
      hasAttachment: true,
      preview: expect.stringContaining('see what I found'),
      keywords: {},
    });
  });

  test('is the only change that Email/changes returns since the state before', async () => {
    const [changes] = await alice.call(['Email/changes', { sinceState: before }]);
    expect(changes).toMatchObject({
      oldState: before,
      created: [email.id],
      updated: [],
      destroyed: [],
      hasMoreChanges: false,
      newState: await emailState(alice),
    });
  });

  test('has an attachment that downloads as the sent octets', async () => {
    const [part] = email['attachments'] as { blobId: string; name: string; type: string }[];
    expect(part).toMatchObject({ name: 'Fundstück.bin', type: 'application/octet-stream' });
    const answer = await alice.download(part!.blobId, 'application/octet-stream', 'Fundstück.bin');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await answer.arrayBuffer()).equals(attachment)).toBe(true);
  });

  test('has an attachment that is larger than the JSON of a Lambda, which downloads too', async () => {
    const [, part] = email['attachments'] as { blobId: string }[];
    expect(Buffer.from(await (await alice.download(part!.blobId)).arrayBuffer()).equals(large)).toBe(true);
  });

  test('has no blob for a range that is not one of its parts', async () => {
    const [part] = email['attachments'] as { blobId: string }[];
    expect((await alice.download(part!.blobId.replace(/_b$/, '_i'))).status).toBe(404);
  });

  // @pitfall delivery notified-twice
  test('is stored once when SES notifies twice', async () => {
    const state = await emailState(alice);
    const notification = await notifications.find(subject);
    await notifications.publish(notification);
    await notifications.publish(notification);
    await notifications.untilProcessed();
    const [changes] = await alice.call(['Email/changes', { sinceState: state }]);
    expect(changes).toMatchObject({ oldState: state, newState: state, created: [], updated: [], destroyed: [] });
    await findInInbox(bob, subject);
  });
});

describeWith('users', 'smtp')('a message that SES rates as spam', () => {
  // In pieces, so that no scanner rates this file as spam.
  const gtube = ['XJS*C4JDBQADN1.NSBN3*2IDNEN', 'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL', 'C.34X'].join('*');

  test('is delivered to Junk and not to the inbox', async () => {
    const alice = await jmapClient(await accessTokenOf('alice'));
    const subject = uniqueSubject('Great offer');
    await sendBySmtp([sandboxUser('alice').email], { subject, text: gtube });
    await receivedEmail(alice, 'junk', subject);
    const { emails } = await openMailbox(alice, 'inbox');
    expect(emails.map((email) => email.subject)).not.toContain(subject);
  });
});

describeWith(
  'users',
  'smtp',
  'emulator',
)('a message that forges the sender of a domain with the DMARC policy reject', () => {
  test('is delivered to Junk, with the failure in its Authentication-Results', async () => {
    const bank = `bank-${randomBytes(4).toString('hex')}.example`;
    const route53 = new Route53Client(awsClientConfig(deployed));
    await createHostedZone(route53, bank, [{ name: `_dmarc.${bank}`, type: 'TXT', value: '"v=DMARC1; p=reject"' }]);
    route53.destroy();
    const alice = await jmapClient(await accessTokenOf('alice'));
    const subject = uniqueSubject('Your account');
    await sendBySmtp([sandboxUser('alice').email], {
      from: `service@${bank}`,
      subject,
      text: 'Hello',
      headers: { 'Authentication-Results': 'amazonses.com; dmarc=pass' },
    });
    const { id } = await receivedEmail(alice, 'junk', subject, ['id', 'subject']);
    const property = 'header:Authentication-Results:asText';
    const [got] = await alice.call(['Email/get', { ids: [id], properties: [property] }]);
    expect((got!['list'] as Record<string, string>[])[0]![property]).toContain(`dmarc=fail (p=reject) header.from=${bank};`);
  });
});

describeWith('users', 'smtp')('a message with Authentication-Results and verdicts of its sender', () => {
  test('contains only the results that SES wrote', async () => {
    const alice = await jmapClient(await accessTokenOf('alice'));
    const subject = uniqueSubject('Your account');
    await sendBySmtp([sandboxUser('alice').email], {
      subject,
      text: 'Hello',
      headers: { 'Authentication-Results': 'amazonses.com; dmarc=pass header.from=bank.test', 'X-SES-Spam-Verdict': 'FAIL', 'Received-SPF': 'fail (forged)' },
    });
    const { id } = await findInInbox(alice, subject);
    const [single, all, other] = [
      'header:Authentication-Results:asText',
      'header:Authentication-Results:asText:all',
      'header:Untrusted-Auth-Results:asText',
    ] as const;
    const [got] = await alice.call(['Email/get', { ids: [id], properties: [single, all, other] }]);
    const [email] = got!['list'] as Record<string, unknown>[];
    expect(email![single]).toMatch(/^amazonses\.com; spf=\w+ .*dmarc=\w+ .*header\.from=elsewhere\.test/);
    expect(email![all]).toEqual([email![single]]);
    expect(email![other]).toBe('amazonses.com; dmarc=pass header.from=bank.test');
    const [spam, spf] = ['header:X-SES-Spam-Verdict:asText:all', 'header:Received-SPF:asText:all'] as const;
    const [verdicts] = await alice.call(['Email/get', { ids: [id], properties: [spam, spf] }]);
    expect((verdicts!['list'] as Record<string, unknown>[])[0]).toMatchObject({
      [spam]: expect.not.arrayContaining(['FAIL']),
      [spf]: [expect.not.stringContaining('forged')],
    });
  });
});

describeWith('users', 'mail')('a malformed message', () => {
  test('is delivered, and downloads as it was sent', async () => {
    const bob = await jmapClient(await accessTokenOf('bob'));
    const before = await emailState(bob);
    const raw = 'Subject\0: \xff\xfe broken\r\nContent-Type: multipart/mixed; boundary=\r\n\r\n--\r\nno end';
    await sendMail([sandboxUser('bob').email], { raw: Buffer.from(raw, 'latin1') });
    const id = await eventually(async () => {
      const [changes] = await bob.call(['Email/changes', { sinceState: before }]);
      expect(changes!['created']).toHaveLength(1);
      return (changes!['created'] as string[])[0]!;
    }, 50);
    const [email] = await bob.call(['Email/get', { ids: [id], properties: ['blobId'] }]);
    const blobId = (email!['list'] as { blobId: string }[])[0]!.blobId;
    const answer = await bob.download(blobId, 'message/rfc822');
    expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).toContain('no end');
  });
});
