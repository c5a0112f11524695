import type { MailFeedback, SentMessage } from '../../contract/admin/mail-feedback.ts';
import type { Suppression } from '../../contract/admin/suppression.ts';
import { accessTokenOf } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox } from './jmap-client.ts';
import { primaryDomain } from './primary-domain.ts';

type TestMail = { readonly message_id: string; readonly note: string; readonly submission_id: string };

describeWith('users', 'smtp')('SendTestEmail', () => {
  let admin: string;
  let id: string;
  beforeAll(async () => {
    admin = await accessTokenOf('admin');
    id = (await primaryDomain(admin)).id;
  });

  const send = (request: object) => ok<TestMail>(admin, 'domains/SendTestEmail', { id, ...request });
  const statusOf = (submission_id: string) => ok(admin, 'setup/GetSetupTestStatus', { submission_id });
  /** SES's feedback about a submission. */
  const feedbackOn = async (submissionId: string): Promise<MailFeedback> => {
    const { feedback } = await ok<{ feedback: MailFeedback[] }>(admin, 'mail-feedback/ListFeedbackByIdentity', { identity_id: id });
    const match = feedback.find((one) => one.submission_id === submissionId);
    expect(match).toBeDefined();
    return match!;
  };
  const suppressionOf = async (recipient: string) => (await ok<{ suppression: Suppression }>(admin, 'suppression/GetSuppression', { recipient })).suppression;

  test('NORMAL: the recipient receives the test mail', async () => {
    const alice = await jmapClient(await accessTokenOf('alice'));
    // By their ids: openMailbox returns the newest Emails only, so a new one may push an older one out of them.
    const testMailIds = async () =>
      (await openMailbox(alice, 'inbox', ['id', 'subject'])).emails
        .filter(({ subject }) => subject.startsWith('Postrider test mail from test@'))
        .map(({ id }) => id);
    const before = new Set(await testMailIds());
    const { submission_id } = await send({ test_type: 'NORMAL', to_email: sandboxUser('alice').email });
    await eventually(async () => expect((await testMailIds()).filter((id) => !before.has(id))).toHaveLength(1), 200);
    await eventually(
      async () =>
        expect(await statusOf(submission_id)).toMatchObject({
          status: 'DELIVERED',
          message_id: expect.stringMatching(/./),
          recipient: sandboxUser('alice').email,
        }),
      200,
    );
    const { messages } = await ok<{ messages: SentMessage[] }>(admin, 'mail-feedback/ListSentMessages', { address: sandboxUser('alice').email });
    const found = messages.find((message) => message.submission_id === submission_id)!;
    expect(found).toMatchObject({ sender: expect.stringMatching(/^test@/), recipients: [{ state: 'DELIVERED' }] });
    expect(found).not.toHaveProperty('account_id');
  });

  test('BOUNCE: adds feedback and a suppression, again after ClearBounceSuppression', async () => {
    const recipient = 'bounce@simulator.amazonses.com';
    for (let time = 0; time < 2; time++) {
      const { submission_id, note } = await send({ test_type: 'BOUNCE' });
      expect(note).toContain(recipient);
      expect(await eventually(() => feedbackOn(submission_id), 200)).toMatchObject({
        type: 'BOUNCE',
        recipient,
        provider_message_id: expect.stringMatching(/./),
        bounce_metadata: { bounce_type: 'Permanent' },
      });
      expect(await suppressionOf(recipient)).toMatchObject({ bounce: { level: 'HARD' } });
      if (time === 0) {
        expectError(await call(admin, 'domains/SendTestEmail', { id, test_type: 'NORMAL', to_email: recipient }), 400, 'failed_precondition');
        const { suppression } = await ok<{ suppression: Suppression }>(admin, 'suppression/ClearBounceSuppression', { recipient });
        expect(suppression).toMatchObject({ bounce: { level: 'NONE' } });
      }
    }
  });

  test('COMPLAINT: suppresses mail of its class only', async () => {
    const recipient = 'complaint@simulator.amazonses.com';
    const { submission_id } = await send({ test_type: 'COMPLAINT', message_class: 'BULK' });
    expect(await eventually(() => feedbackOn(submission_id), 200)).toMatchObject({
      type: 'COMPLAINT',
      message_class: 'BULK',
      complaint_metadata: { complaint_feedback_type: 'abuse' },
    });
    expect(await suppressionOf(recipient)).toMatchObject({
      complaints: { bulk: { level: 'PERMANENT', last_identity_id: id }, mailing_list: { level: 'NONE' } },
    });
  });

  test('OOTO: adds a transient bounce', async () => {
    const { submission_id } = await send({ test_type: 'OOTO' });
    expect(await eventually(() => feedbackOn(submission_id), 200)).toMatchObject({ type: 'BOUNCE', bounce_metadata: { bounce_type: 'Transient' } });
  });
});
