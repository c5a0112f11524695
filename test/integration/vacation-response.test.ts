import { randomUUID } from 'node:crypto';
import { sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { jmapClient, mailboxIdOf, receivedEmail, type JmapClient } from './jmap-client.ts';
import { messagesTo, rawMessageTo } from './outbox.ts';
import { composeMessage, uniqueSubject } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';

const setVacation = async (client: JmapClient, changes: object): Promise<void> => {
  const [response] = await client.call(['VacationResponse/set', { update: { singleton: changes } }]);
  expect(response).toMatchObject({ notUpdated: null });
};

describeWith(
  'users',
  'smtp',
  'emulator',
)('VacationResponse', () => {
  const { email } = sandboxUser('alice');

  test('responds to the first message of a sender outside, and not to the second one', async () => {
    const alice = await jmapClient(await accessTokenOf('alice'));
    const from = `sender-${randomUUID().slice(0, 8)}@elsewhere.test`;
    const subjects = [randomUUID(), randomUUID()];
    const send = async (subject: string) => {
      const raw = await composeMessage({ from, to: email, subject, text: 'Hello' });
      expect((await sendRaw(deployed.smtp!, { from, to: [email] }, raw)).rejected).toEqual([]);
      await receivedEmail(alice, 'inbox', subject);
    };
    await setVacation(alice, { isEnabled: true, textBody: 'I am away.' });
    try {
      await send(subjects[0]!);
      const raw = await rawMessageTo(from);
      expect(raw).toContain(`Subject: Auto: ${subjects[0]!}`);
      expect(raw).toContain('Auto-Submitted: auto-replied\r\n');
      await send(subjects[1]!);
    } finally {
      await setVacation(alice, { isEnabled: false });
    }
    // The second message is delivered, and the decision on its response follows at once.
    expect(await messagesTo(from)).toHaveLength(1);
  });

  test('responds to another account of the deployment, through SES as to any sender', async () => {
    // Nobody gets a second response from the same account for days.
    const away = await createUserWithAccount(await adminMachineToken(), `away-${randomUUID().slice(0, 8)}`);
    const [alice, client] = [await jmapClient(await accessTokenOf('alice')), await jmapClient((await away.signIn()).access_token)];
    const subject = uniqueSubject('Lunch?');
    await setVacation(client, { isEnabled: true, htmlBody: '<p>Back <b>soon</b>.</p>' });
    try {
      const drafts = await mailboxIdOf(alice, 'drafts');
      const [identities] = await alice.call(['Identity/get', { ids: null }]);
      const [identity] = identities!['list'] as { id: string; email: string }[];
      const message = {
        mailboxIds: { [drafts]: true },
        from: [{ email: identity!.email }],
        to: [{ email: away.email }],
        subject,
        textBody: [{ partId: '1', type: 'text/plain' }],
        bodyValues: { 1: { value: 'Today?' } },
      };
      const [, submitted] = await alice.call(
        ['Email/set', { create: { message } }],
        ['EmailSubmission/set', { create: { submission: { identityId: identity!.id, emailId: '#message' } } }],
      );
      expect(submitted).toMatchObject({ notCreated: null });
      const response = await receivedEmail(alice, 'inbox', `Auto: ${subject}`, ['subject', 'from', 'preview', 'messageId']);
      // SES gives a message that it sends a Message-ID of its own.
      expect(response).toMatchObject({
        from: [{ email: away.email }],
        preview: 'Back soon.',
        messageId: [expect.stringMatching(/@([\w.-]+\.)?amazonses\.com$/)],
      });
    } finally {
      await setVacation(client, { isEnabled: false });
    }
  });
});
