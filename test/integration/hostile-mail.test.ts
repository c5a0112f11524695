import { sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { jmapClient, receivedEmail, type JmapClient } from './jmap-client.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';

/** Folded blanks, without a line above 998 octets. */
const blanks = (lines: number): string => `\r\n${' '.repeat(900)}`.repeat(lines);

/** A message whose Subject is an encoded word with a charset name in a long row of quotes, in lines of base64. */
const wordInBase64 = (): string =>
  Buffer.from(`From: a@b.test\r\nSubject: =?a${"'".repeat(140_000)}b?Q?x?=\r\n\r\nwalrus`)
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\r\n');

/** Messages with header fields for which a regular expression of a mail parser may take the square of their length. */
const hostileMessages: Readonly<Record<string, (subject: string) => readonly string[]>> = {
  '1.2 MB of parts with types of blanks': (subject) => [
    `Subject: ${subject}`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...Array.from({ length: 75 }, () => ['--b', `Content-Type: /a${blanks(17)}x`, '', 'walrus']).flat(),
    '--b--',
  ],
  'an attached message with a charset name of quotes': (subject) => [
    `Subject: ${subject}`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: message/rfc822',
    'Content-Transfer-Encoding: base64',
    '',
    wordInBase64(),
    '--b--',
  ],
  'eight parts with types of blanks': (subject) => [
    `Subject: ${subject}`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...Array.from({ length: 8 }, () => [
      '--b',
      `Content-Type: /a${blanks(17)}x`,
      `Content-Disposition: /a${blanks(17)}x`,
      '--x',
      'no field',
      '',
      'walrus',
    ]).flat(),
    '--b--',
  ],
};

describeWith('users', 'smtp')('a message with hostile header fields', () => {
  let alice: JmapClient;
  let bob: JmapClient;
  beforeAll(async () => {
    alice = await jmapClient(await accessTokenOf('alice'));
    bob = await jmapClient(await accessTokenOf('bob'));
  });

  // @pitfall attack slow-header
  test.each(Object.entries(hostileMessages))('%s is delivered, and so is the mail of others', async (_, compose) => {
    const [subject, other] = [uniqueSubject('Hostile'), uniqueSubject('Other')];
    const raw = Buffer.from(['From: mallory@elsewhere.test', `To: ${sandboxUser('alice').email}`, ...compose(subject), ''].join('\r\n'));
    await sendRaw(deployed.smtp!, { from: 'mallory@elsewhere.test', to: [sandboxUser('alice').email] }, raw);
    await sendMail([sandboxUser('bob').email], { subject: other, text: 'Hello' });
    await receivedEmail(bob, 'inbox', other, ['subject']);
    const { id } = await receivedEmail(alice, 'inbox', subject, ['id', 'subject']);
    // A search reads messages that are not in the index yet.
    const [found] = await alice.call(['Email/query', { filter: { operator: 'AND', conditions: [{ subject }, { body: 'walrus' }] } }]);
    expect(found).toMatchObject({ ids: [id] });
  });
});
