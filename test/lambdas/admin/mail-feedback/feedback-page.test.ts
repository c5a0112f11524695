import type { MailFeedback } from '../../../../contract/admin/mail-feedback.ts';
import { mailFeedbackIn } from '../../../../core/sending/feedback/mail-feedback.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { perTest } from '../../../support/per-test.ts';

const table = perTest(() => failingTable(memoryTable()));
const api = perTest(() => adminApi({ sending: table }));

/** The report of minute `index`: bounces in odd minutes, complaints in even ones. */
const report = (index: number, fields: Partial<MailFeedback> = {}): MailFeedback => ({
  id: `feedback_${index}`,
  type: index % 2 ? 'BOUNCE' : 'COMPLAINT',
  message_class: 'BULK',
  recipient: `r${index % 3}@elsewhere.test`,
  identity_id: `dom_${index % 2}`,
  timestamp: new Date(Date.UTC(2026, 10, 21, 0, index)).toISOString(),
  provider_message_id: `m${index}`,
  ...fields,
});
const store = async (...reports: MailFeedback[]) => {
  for (const feedback of reports) await mailFeedbackIn(table).add(feedback, new Date());
};
const list = async (method: string, request: object) => {
  const { feedback, next_page_token: next } = await api.ok(`/mail-feedback/${method}`, request);
  return { ids: (feedback as MailFeedback[]).map(({ id }) => Number(id.replace('feedback_', ''))), next: next as string };
};
const listAllPages = async (method: string, request: object) => {
  const ids: number[] = [];
  for (let token = ''; ;) {
    const page = await list(method, { ...request, page_size: 3, ...(token && { page_token: token }) });
    ids.push(...page.ids);
    if (!page.next) return ids;
    token = page.next;
  }
};
const downFrom = (last: number, step = 1) => Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => last - index * step);

test('ListRecentFeedback lists one type or both, newest first, for any order of the reports', async () => {
  await store(...[3, 7, 0, 9, 1, 8, 2, 6, 4, 5].map((index) => report(index)));
  expect(await listAllPages('ListRecentFeedback', {})).toEqual(downFrom(9));
  expect(await listAllPages('ListRecentFeedback', { type: 'FEEDBACK_TYPE_BOUNCE' })).toEqual([9, 7, 5, 3, 1]);
  expect(await listAllPages('ListRecentFeedback', { type: 'COMPLAINT' })).toEqual(downFrom(8, 2));
});

test('ListFeedbackByIdentity and ListFeedbackByRecipient filter; the recipient is compared case-insensitively', async () => {
  await store(...downFrom(9).map((index) => report(index)));
  expect(await listAllPages('ListFeedbackByIdentity', { identity_id: 'dom_1' })).toEqual([9, 7, 5, 3, 1]);
  expect(await listAllPages('ListFeedbackByRecipient', { recipient: 'R1@Elsewhere.test' })).toEqual([7, 4, 1]);
  expect(await list('ListFeedbackByIdentity', { identity_id: 'dom_none' })).toEqual({ ids: [], next: '' });
});

test('ListRecentFeedback continues a list unchanged while newer reports arrive', async () => {
  await store(...downFrom(5).map((index) => report(index)));
  const first = await list('ListRecentFeedback', { page_size: 3 });
  await store(report(6), report(7));
  const next = await list('ListRecentFeedback', { page_size: 3, page_token: first.next });
  expect([...first.ids, ...next.ids]).toEqual(downFrom(5));
});

test('ListRecentFeedback returns every known field, and no unknown one', async () => {
  const full = report(1, {
    account_id: 'acc_1',
    user_id: 'user_1',
    submission_id: 'submission_1',
    bounce_metadata: { bounce_type: 'Permanent', bounce_sub_type: 'General', diagnostic_code: 'd', status: '5.1.1' },
  });
  await store(full, report(2, { complaint_metadata: { complaint_feedback_type: 'abuse', user_agent: 'ua' } }));
  const { feedback } = await api.ok('/mail-feedback/ListRecentFeedback');
  expect(feedback).toEqual([{ ...report(2), complaint_metadata: { complaint_feedback_type: 'abuse', user_agent: 'ua' } }, full]);
});

test('each page takes one read of each list', async () => {
  await store(...downFrom(9).map((index) => report(index)));
  const before = table.calls.reads;
  await list('ListRecentFeedback', { page_size: 3 });
  await list('ListFeedbackByIdentity', { identity_id: 'dom_1', page_size: 3 });
  await list('ListFeedbackByRecipient', { recipient: 'r1@elsewhere.test', page_size: 3 });
  expect(table.calls.reads - before).toBe(4);
});

test('a page_token is valid only for the method and the arguments of its list', async () => {
  await store(...downFrom(9).map((index) => report(index)));
  const { next } = await list('ListRecentFeedback', { type: 'BOUNCE', page_size: 2 });
  const otherCalls = [
    ['ListRecentFeedback', {}],
    ['ListRecentFeedback', { type: 'COMPLAINT' }],
    ['ListFeedbackByIdentity', { identity_id: 'dom_1' }],
  ] as const;
  for (const [method, request] of otherCalls) {
    expect(await api.call(`/mail-feedback/${method}`, { ...request, page_token: next })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  }
});
