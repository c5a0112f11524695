import { simulatorAddresses } from '../../../../contract/deployment/sending.ts';
import { eventsAbout } from '../../../support/account-submission.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';
import { createDomain } from '../../../support/admin-resources.ts';
import { perTest } from '../../../support/per-test.ts';
import { newSubmission, storeSubmission, sendPipeline } from '../../../support/send-pipeline.ts';

const api = adminApiPerTest({ clock: () => new Date('2026-11-21T08:38:00Z') });
let id: string;
const pipeline = perTest(() => sendPipeline({ table: api.sending, objects: api.objects }));
beforeEach(async () => {
  id = await createDomain(api);
  api.emailProvider.verify('example.test');
});

const send = async (request: object): Promise<string> => {
  const { submission_id } = await api.ok('/domains/SendTestEmail', { id, ...request });
  return submission_id as string;
};
const statusOf = (submission_id: string) => api.ok('/setup/GetSetupTestStatus', { submission_id });

describe('GetSetupTestStatus', () => {
  test('follows a test mail from the queue to the recipient by its submission_id', async () => {
    const submission_id = await send({ test_type: 'NORMAL', to_email: 'ann@elsewhere.test' });
    expect(await statusOf(submission_id)).toEqual({
      submission_id,
      status: 'QUEUED',
      recipient: 'ann@elsewhere.test',
      message_id: '',
      smtp_reply: '250 2.0.0 queued',
    });

    await pipeline.submit(api.submitQueue.take());
    const sent = await statusOf(submission_id);
    expect(sent).toMatchObject({ status: 'SENT', message_id: expect.stringMatching(/./), sent_at: '2026-11-21T08:38:00.000Z' });

    const about = { submission: submission_id, id: String(sent['message_id']) };
    await pipeline.recordEvents(eventsAbout('ann@elsewhere.test', about).delivery(2));
    expect(await statusOf(submission_id)).toMatchObject({ status: 'DELIVERED', smtp_reply: '250 2.0.0 OK 2', message_id: sent['message_id'] });
  });

  test('reports that a test mail bounced, with the reply', async () => {
    const submission_id = await send({ test_type: 'BOUNCE' });
    await pipeline.submit(api.submitQueue.take());
    await pipeline.recordEvents(eventsAbout(simulatorAddresses.BOUNCE, { submission: submission_id }).bounce('Permanent', 2));
    expect(await statusOf(submission_id)).toMatchObject({ status: 'BOUNCED', smtp_reply: expect.stringContaining('550 5.1.1') });
  });

  test('reports that the recipient of a test mail complained', async () => {
    const submission_id = await send({ test_type: 'COMPLAINT' });
    await pipeline.submit(api.submitQueue.take());
    await pipeline.recordEvents(eventsAbout(simulatorAddresses.COMPLAINT, { submission: submission_id }).complaint(2));
    expect(await statusOf(submission_id)).toMatchObject({ status: 'COMPLAINED' });
  });

  test('reports that a test mail was not sent because its recipient was suppressed in the meantime', async () => {
    const submission_id = await send({ test_type: 'NORMAL', to_email: 'ann@elsewhere.test' });
    await pipeline.feedback.add(
      {
        type: 'BOUNCE',
        recipient: 'ann@elsewhere.test',
        timestamp: '2026-11-21T08:38:00.000Z',
        id: 'f',
        message_class: 'BULK',
        identity_id: id,
        provider_message_id: 'm',
        bounce_metadata: { bounce_type: 'Permanent', bounce_sub_type: 'General' },
      },
      new Date('2026-11-21T08:38:00.000Z'),
    );
    await pipeline.submit(api.submitQueue.take());
    expect(await statusOf(submission_id)).toMatchObject({ status: 'FAILED', message_id: '', smtp_reply: expect.stringMatching(/^550/) });
  });

  test('refuses an unknown id, and a submission of an account, with not_found', async () => {
    await storeSubmission(api.sending, newSubmission({ submission_id: 'submission_account', account_id: 'acc_1' }), '2026');
    for (const submission_id of ['submission_unknown', 'submission_account']) {
      expect(await api.call('/setup/GetSetupTestStatus', { submission_id })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });
});
