import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient } from './jmap-client.ts';
import { prepareJmapc, runJmapcFlow } from './jmapc/jmapc.ts';
import { rawMessagesTo } from './outbox.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';

describeWith('users', 'smtp')('the published client library jmapc for Python', () => {
  beforeAll(prepareJmapc);

  test('lists sorted mail, flags it, forwards its attachment as it was read, sends and deletes it', async () => {
    const [subject, word, { email }] = [uniqueSubject('jmapc'), `word${Math.random().toString(36).slice(2)}`, sandboxUser('alice')];
    const [content, recipient] = ['a,b\n1,2\n', 'carol@elsewhere.test'];
    await sendMail([email], { subject, text: `A text with ${word} in it.`, attachments: [{ filename: 'Zahlen für alle.csv', content }] });
    const token = await accessTokenOf('alice');
    const alice = await jmapClient(token);
    await eventually(async () => {
      const [found] = await alice.call(['Email/query', { filter: { text: word } }]);
      expect(found!['ids']).toHaveLength(1);
    });
    const flow = await runJmapcFlow(`${deployed.jmapUrl}/.well-known/jmap`, token, { word, sender: email, recipient });
    expect(flow).toMatchObject({
      subject,
      text: expect.stringContaining(word) as string,
      keywords: [{ $seen: true }],
      isChanged: true,
      forwarded: { subject: `Fwd: ${subject}`, attachments: [['Zahlen für alle.csv', 'text/csv', content.length]] },
    });
    expect(flow.mailboxes).toEqual([...flow.mailboxes].sort((one, other) => one.localeCompare(other)));
    expect(flow.mailboxes).toContain('Inbox');
    const [raw] = await rawMessagesTo([recipient], `Fwd: ${subject}`);
    expect(raw).toContain(Buffer.from(content).toString('base64'));
  });
});
