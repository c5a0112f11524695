import { randomUUID } from 'node:crypto';
import { AdminSetUserPasswordCommand } from '@aws-sdk/client-cognito-identity-provider';
import { problemKinds } from '../../../contract/admin/problems.ts';
import { cliCallbackUrls } from '../../../contract/oauth/oauth.ts';
import { signIn } from '../../../sandbox/clients/hosted-sign-in.ts';
import { ok } from '../admin-calls.ts';
import { deployed, describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { messagesTo, outboxText, rawMessage } from '../outbox.ts';
import { admin, aws, closeClients } from './deployment-clients.ts';
import { queueAndLambdaProvocations } from './queues-and-lambdas.ts';
import { runWatch } from './watch-run.ts';

const { begin, end } = queueAndLambdaProvocations.DEAD_LETTERS;

/** An admin whose address is not of the deployment, so that mail to it leaves SES. */
const outsideAdmin = async () => {
  const email = `problems-${randomUUID().slice(0, 8)}@elsewhere.test`;
  const password = `Correct-horse-${randomUUID().slice(0, 8)}-1`;
  const {
    user: {
      user_id: userId,
      idp_identities: [identity],
    },
  } = await admin.users.CreateUser({ email });
  await aws.cognito.send(
    new AdminSetUserPasswordCommand({ UserPoolId: deployed.outputs['userPoolId'], Username: identity!.username, Password: password, Permanent: true }),
  );
  await admin.users.UpdateUser({ user_id: userId, is_admin: true });
  const tokens = await signIn({ authUrl: deployed.authUrl, clientId: deployed.clients.cli.clientId, redirectUri: cliCallbackUrls[0], email, password });
  return { userId, email, token: tokens.access_token };
};

describeWith('emulator', 'smtp')('mail about problems', () => {
  let subscriber: Awaited<ReturnType<typeof outsideAdmin>>;
  const subscribe = (subscribed: boolean) => ok(subscriber.token, 'status/SubscribeToProblems', { subscribed });
  beforeAll(async () => {
    subscriber = await outsideAdmin();
    await runWatch();
    await subscribe(true);
  });
  afterAll(async () => {
    await end();
    await admin.users.DeleteUser({ user_id: subscriber.userId });
    await runWatch();
    closeClients();
  });

  /** The notifications in the outbox about a subject, newest first. */
  const notifications = async (subject: string) => {
    const messages = (await messagesTo(subscriber.email)).filter((message) => /^Postrider \S+: .*problem/.test(message.subject));
    const texts = await Promise.all(messages.map(async ({ id }) => ({ id, text: await outboxText(id) })));
    return texts.filter(({ text }) => text.includes(subject));
  };

  test('leaves SES for an admin who subscribed: one when a problem begins, and one when it ends', async () => {
    const subject = await begin();
    await runWatch();
    const [begun] = await eventually(async () => {
      const found = await notifications(subject);
      expect(found).toHaveLength(1);
      return found;
    });
    for (const part of [
      `CRITICAL: Messages in ${subject} could not be handled`,
      'Next step: ',
      problemKinds.DEAD_LETTERS.console_path,
      'docs/operator-runbook.md#dead-letters',
    ])
      expect(begun!.text).toContain(part);
    expect(await rawMessage(begun!.id)).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
    await end();
    await runWatch();
    await runWatch();
    const [ended] = await eventually(async () => {
      const found = await notifications(subject);
      expect(found).toHaveLength(2);
      return found;
    });
    expect(ended!.text).toContain(`Ended: Messages in ${subject} could not be handled`);
  });

  test('is not sent to an admin who unsubscribed', async () => {
    await subscribe(false);
    const subject = await begin();
    const known = (await notifications(subject)).length;
    await runWatch();
    await subscribe(true);
    // A later mail is sent only after those of the earlier run.
    await end();
    await runWatch();
    await eventually(async () => expect(await notifications(subject)).toHaveLength(known + 1));
    const [newest] = await notifications(subject);
    expect(newest!.text).toContain('Ended: ');
  });
});
