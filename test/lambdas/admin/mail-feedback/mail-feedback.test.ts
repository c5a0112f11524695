import type { MailFeedback } from '../../../../contract/admin/mail-feedback.ts';
import { mailFeedbackIn } from '../../../../core/sending/mail-feedback.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

let api: Awaited<ReturnType<typeof adminApi>>;
const sending = () => failingTable(memoryTable());
let table: ReturnType<typeof sending>;
beforeEach(async () => {
  table = sending();
  api = await adminApi({ sending: table });
});

const report = (index: number, more: Partial<MailFeedback> = {}): MailFeedback => ({
  id: `feedback_${index}`, type: index % 2 ? 'BOUNCE' : 'COMPLAINT', message_class: 'BULK', recipient: `r${index % 3}@elsewhere.test`, identity_id: `dom_${index % 2}`,
  timestamp: new Date(Date.UTC(2026, 10, 21, 0, index)).toISOString(), provider_message_id: `m${index}`, ...more,
});
const keep = async (...reports: MailFeedback[]) => {
  for (const one of reports) await mailFeedbackIn(table).add(one, new Date());
};
const list = async (method: string, request: object) => {
  const answer = await api.ok(`/mail-feedback/${method}`, request) as unknown as { feedback: MailFeedback[]; next_page_token: string };
  return { ids: answer.feedback.map(({ id }) => Number(id.replace('feedback_', ''))), next: answer.next_page_token };
};
const everyPage = async (method: string, request: object) => {
  const ids: number[] = [];
  for (let token = ''; ;) {
    const page = await list(method, { ...request, page_size: 3, ...(token && { page_token: token }) });
    ids.push(...page.ids);
    if (!page.next) return ids;
    token = page.next;
  }
};
const downFrom = (last: number, step = 1) => Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => last - index * step);

test('the newest come first, of one type or of both, however they came in', async () => {
  await keep(...[3, 7, 0, 9, 1, 8, 2, 6, 4, 5].map((index) => report(index)));
  expect(await everyPage('ListRecentFeedback', {})).toEqual(downFrom(9));
  expect(await everyPage('ListRecentFeedback', { type: 'FEEDBACK_TYPE_BOUNCE' })).toEqual([9, 7, 5, 3, 1]);
  expect(await everyPage('ListRecentFeedback', { type: 'COMPLAINT' })).toEqual(downFrom(8, 2));
});

test('by identity and by recipient, whose address is the same in any case', async () => {
  await keep(...downFrom(9).map((index) => report(index)));
  expect(await everyPage('ListFeedbackByIdentity', { identity_id: 'dom_1' })).toEqual([9, 7, 5, 3, 1]);
  expect(await everyPage('ListFeedbackByRecipient', { recipient: 'R1@Elsewhere.test' })).toEqual([7, 4, 1]);
  expect(await list('ListFeedbackByIdentity', { identity_id: 'dom_none' })).toEqual({ ids: [], next: '' });
});

test('pages stay as they are while newer ones come in', async () => {
  await keep(...downFrom(5).map((index) => report(index)));
  const first = await list('ListRecentFeedback', { page_size: 3 });
  await keep(report(6), report(7));
  const next = await list('ListRecentFeedback', { page_size: 3, page_token: first.next });
  expect([...first.ids, ...next.ids]).toEqual(downFrom(5));
});

test('a record shows all that is known and nothing that is not', async () => {
  const full = report(1, {
    account_id: 'acc_1', user_id: 'user_1', submission_id: 'submission_1', bounce_metadata: { bounce_type: 'Permanent', bounce_sub_type: 'General', diagnostic_code: 'd', status: '5.1.1' },
  });
  await keep(full, report(2, { complaint_metadata: { complaint_feedback_type: 'abuse', user_agent: 'ua' } }));
  const { feedback } = await api.ok('/mail-feedback/ListRecentFeedback');
  expect(feedback).toEqual([{ ...report(2), complaint_metadata: { complaint_feedback_type: 'abuse', user_agent: 'ua' } }, full]);
});

test('each page is one read of each list, at most two side by side', async () => {
  await keep(...downFrom(9).map((index) => report(index)));
  const before = table.calls.reads;
  await list('ListRecentFeedback', { page_size: 3 });
  await list('ListFeedbackByIdentity', { identity_id: 'dom_1', page_size: 3 });
  await list('ListFeedbackByRecipient', { recipient: 'r1@elsewhere.test', page_size: 3 });
  expect(table.calls.reads - before).toBe(4);
});

test('a token is good for its method and arguments only', async () => {
  await keep(...downFrom(9).map((index) => report(index)));
  const { next } = await list('ListRecentFeedback', { type: 'BOUNCE', page_size: 2 });
  for (const [method, request] of [['ListRecentFeedback', {}], ['ListRecentFeedback', { type: 'COMPLAINT' }], ['ListFeedbackByIdentity', { identity_id: 'dom_1' }]] as const) {
    expect(await api.call(`/mail-feedback/${method}`, { ...request, page_token: next })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  }
});
