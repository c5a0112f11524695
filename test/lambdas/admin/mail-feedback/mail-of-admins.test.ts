import type { MailFeedback, SentMessage } from '../../../../contract/admin/mail-feedback.ts';
import type { ReceivedMessage } from '../../../../contract/admin/received-mail.ts';
import type { ReceivedEntry } from '../../../../core/mail/delivery/received-message.ts';
import { receivedMessagesIn } from '../../../../core/mail/delivery/received-messages.ts';
import { mailFeedbackIn } from '../../../../core/sending/feedback/mail-feedback.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, storeLimitedAdmins, type AdminApi } from '../../../support/admin-api.ts';
import { newSubmission, sendPipeline } from '../../../support/send-pipeline.ts';

const at = '2026-11-21T08:38:00.000Z';

/** An account of an admin and one of a person, with mail received by each and by both, and mail sent and bounced of each. */
const firm = async () => {
  const sending = memoryTable();
  const api = await adminApi({ sending, clock: () => new Date(Date.parse(at) + 60_000) });
  await storeLimitedAdmins(api);
  const { id: domain_id } = (await api.ok('/domains/AddDomain', { domain: 'firm.example', receive_enabled: true }))['domain'] as { id: string };
  const accountOf = async (name: string) => {
    const { account } = await api.ok('/accounts/CreateAccount', { user_id: `user_${name}`, name, local_part: name, domain_id });
    return (account as { account_id: string }).account_id;
  };
  const accounts = { admin: await accountOf('admin'), person: await accountOf('person') };
  const names = Object.keys(accounts) as (keyof typeof accounts)[];
  const entry = (name: keyof typeof accounts, n: number): [string, ReceivedEntry] => [`${name}@firm.example`, { n, account: accounts[name] }];
  for (const to of [...names.map((name) => [name]), names]) {
    await receivedMessagesIn(sending).record({
      sesMessageId: to.join('-'),
      at,
      sender: 'ann@elsewhere.test',
      size: 1,
      isJunk: false,
      verdicts: {},
      recipients: Object.fromEntries(to.map(entry)),
    });
  }
  const pipeline = sendPipeline({ table: sending });
  for (const name of names) {
    await pipeline.accept(newSubmission({ submission_id: `submission_${name}`, account_id: accounts[name], created_at: at, send_at: at }));
    const feedback: MailFeedback = {
      id: `feedback_${name}`,
      type: 'BOUNCE',
      message_class: 'BULK',
      recipient: 'ann@elsewhere.test',
      identity_id: 'dom_1',
      timestamp: at,
      account_id: accounts[name],
      provider_message_id: name,
    };
    await mailFeedbackIn(sending).add(feedback, new Date(at));
  }
  await pipeline.submit();
  return { api, accounts };
};

const listed = async <T>(api: AdminApi, method: string, field: string, token: string, request: object = {}) =>
  (await api.call(`/mail-feedback/${method}`, request, token)).body[field] as T[];
const recipientsOf = async (api: AdminApi, token: string) =>
  (await listed<ReceivedMessage>(api, 'ListReceivedMessages', 'messages', token)).map(({ recipients = [] }) => recipients.map(({ address }) => address).join());

describe('HELPDESK sees nothing of the mail of an admin', () => {
  test('that was received: neither a message, nor that an admin is among its recipients', async () => {
    const { api } = await firm();
    const [admin, person] = ['admin@firm.example', 'person@firm.example'];
    expect((await recipientsOf(api, 'admin')).sort()).toEqual([admin, `${admin},${person}`, person]);
    expect(await recipientsOf(api, 'helpdesk')).toEqual([person, person]);
    for (const { received_id, recipients } of await listed<ReceivedMessage>(api, 'ListReceivedMessages', 'messages', 'admin')) {
      const { status, body } = await api.call('/mail-feedback/GetReceivedMessage', { received_id }, 'helpdesk');
      const seen = recipients!.filter(({ address }) => address === person).map(({ address }) => address);
      expect([status, (body['message'] as ReceivedMessage | undefined)?.recipients?.map(({ address }) => address)]).toEqual(
        seen.length > 0 ? [200, seen] : [404, undefined],
      );
    }
  });

  test('that was sent, found by any address or by its id', async () => {
    const { api } = await firm();
    const ids = async (token: string, request: object) =>
      (await listed<SentMessage>(api, 'ListSentMessages', 'messages', token, request)).map(({ submission_id: id }) => id).sort();
    expect(await ids('admin', { address: 'ann@elsewhere.test' })).toEqual(['submission_admin', 'submission_person']);
    expect(await ids('helpdesk', { address: 'ann@elsewhere.test' })).toEqual(['submission_person']);
    expect(await ids('helpdesk', { submission_id: 'submission_admin' })).toEqual([]);
  });

  test.each([
    ['ListRecentFeedback', {}],
    ['ListFeedbackByIdentity', { identity_id: 'dom_1' }],
    ['ListFeedbackByRecipient', { recipient: 'ann@elsewhere.test' }],
  ])('that bounced: %s', async (method, request) => {
    const { api } = await firm();
    const ids = async (token: string) => (await listed<MailFeedback>(api, method, 'feedback', token, request)).map(({ id }) => id).sort();
    expect(await ids('admin')).toEqual(['feedback_admin', 'feedback_person']);
    for (const token of ['helpdesk', 'read-only']) expect(await ids(token)).toEqual(['feedback_person']);
  });

  test('that was deleted', async () => {
    const { api, accounts } = await firm();
    const statusOf = async (account_id: string, token: string) => (await api.call('/accounts/ListDestroyedEmails', { account_id }, token)).status;
    expect([await statusOf(accounts.admin, 'admin'), await statusOf(accounts.admin, 'helpdesk'), await statusOf(accounts.person, 'helpdesk')]).toEqual([
      200, 403, 200,
    ]);
  });
});
