import type { MailFeedback } from '../../../../contract/admin/mail-feedback.ts';
import type { Suppression } from '../../../../contract/admin/suppression.ts';
import { mailFeedbackIn } from '../../../../core/sending/mail-feedback.ts';
import { adminApi } from '../../../support/admin-api.ts';

let now: Date;
let api: Awaited<ReturnType<typeof adminApi>>;
beforeEach(async () => {
  now = new Date('2026-11-21T08:38:00Z');
  api = await adminApi({ now: () => now });
});

let counter = 0;
const told = (recipient: string, more: Partial<MailFeedback>) => mailFeedbackIn(api.sending).add({
  id: `feedback_${counter++}`, type: 'BOUNCE', message_class: 'TRANSACTIONAL', recipient, identity_id: 'dom_1', timestamp: now.toISOString(), provider_message_id: 'm', ...more,
}, now);
const bounce = (recipient: string, bounce_type = 'Permanent') => told(recipient, { bounce_metadata: { bounce_type, bounce_sub_type: 'General', diagnostic_code: '550' } });
const complaint = (recipient: string, message_class: MailFeedback['message_class']) => told(recipient, { type: 'COMPLAINT', message_class, complaint_metadata: { complaint_feedback_type: 'abuse' } });
const get = async (recipient: string) => (await api.ok('/suppression/GetSuppression', { recipient }))['suppression'] as Suppression;

test('GetSuppression tells everything, in any case of the address', async () => {
  await bounce('ann@elsewhere.test');
  const none = { level: 'NONE', count: 0, last_complaint_type: '', last_identity_id: '' };
  expect(await get('Ann@Elsewhere.test')).toEqual({
    recipient: 'ann@elsewhere.test',
    bounce: {
      level: 'HARD', count: 1, first_occurrence: now.toISOString(), last_occurrence: now.toISOString(), soft_bounce_count: 0, last_bounce_type: 'Permanent', last_bounce_sub_type: 'General', last_diagnostic_code: '550',
    },
    complaints: { transactional: none, mailing_list: none, bulk: none },
  });
});

test.each(['GetSuppression', 'ClearBounceSuppression', 'ClearComplaintSuppression'])('%s of somebody without a record is not_found', async (method) => {
  expect(await api.call(`/suppression/${method}`, { recipient: 'ann@elsewhere.test', ...(method === 'ClearComplaintSuppression' && { message_class: 'BULK' }) })).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('ClearBounceSuppression lowers the level and keeps the counters; a bounce after it counts again, one from before does not', async () => {
  await bounce('ann@elsewhere.test');
  const before = now;
  now = new Date(now.getTime() + 60_000);
  const { suppression } = await api.ok('/suppression/ClearBounceSuppression', { recipient: 'ann@elsewhere.test' });
  expect(suppression).toMatchObject({ bounce: { level: 'NONE', count: 1, last_bounce_type: 'Permanent' } });
  expect(await get('ann@elsewhere.test')).toEqual(suppression);
  [now] = [before, now];
  await bounce('ann@elsewhere.test');
  now = new Date(now.getTime() + 120_000);
  expect((await get('ann@elsewhere.test')).bounce).toMatchObject({ level: 'NONE', count: 2 });
  await bounce('ann@elsewhere.test');
  expect((await get('ann@elsewhere.test')).bounce).toMatchObject({ level: 'HARD', count: 3 });
});

test('ClearComplaintSuppression is for its class only', async () => {
  await complaint('ann@elsewhere.test', 'BULK');
  await complaint('ann@elsewhere.test', 'MAILING_LIST');
  const { suppression } = await api.ok('/suppression/ClearComplaintSuppression', { recipient: 'ann@elsewhere.test', message_class: 'MESSAGE_CLASS_BULK' });
  expect(suppression).toMatchObject({ complaints: { bulk: { level: 'NONE', count: 1 }, mailing_list: { level: 'PERMANENT', count: 1 }, transactional: { level: 'NONE', count: 0 } } });
});

test('clearing is audited with what changed, and so is what failed', async () => {
  await bounce('ann@elsewhere.test');
  now = new Date(now.getTime() + 1000);
  await api.ok('/suppression/ClearBounceSuppression', { recipient: 'ann@elsewhere.test' });
  now = new Date(now.getTime() + 1000);
  await api.call('/suppression/ClearComplaintSuppression', { recipient: 'bob@elsewhere.test', message_class: 'BULK' });
  const { audit_logs: logs } = await api.ok('/audit/ListAuditLogs', { operation: 'suppression/' });
  expect(logs).toMatchObject([
    { action: 'suppression/ClearComplaintSuppression', status: 'failure', entity_id: 'bob@elsewhere.test', error_msg: 'there is no such suppression' },
    { action: 'suppression/ClearBounceSuppression', status: 'success', entity_id: 'ann@elsewhere.test', changes: [{ field: 'level', old_value: 'HARD', new_value: 'NONE' }] },
  ]);
});

test('ListSuppressions: the youngest record first, stable while bounces come in', async () => {
  for (const index of [0, 1, 2, 3, 4, 5, 6]) {
    now = new Date(now.getTime() + 1000);
    await bounce(`r${index}@elsewhere.test`);
  }
  const seen: string[] = [];
  for (let token = ''; ;) {
    const answer = await api.ok('/suppression/ListSuppressions', { page_size: 3, ...(token && { page_token: token }) });
    seen.push(...(answer['suppressions'] as Suppression[]).map(({ recipient }) => recipient));
    now = new Date(now.getTime() + 1000);
    await bounce('r0@elsewhere.test');
    await bounce(`new${seen.length}@elsewhere.test`);
    token = answer['next_page_token'] as string;
    if (!token) break;
  }
  expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `r${index}@elsewhere.test`));
});

test('four who clear at once all succeed', async () => {
  await bounce('ann@elsewhere.test');
  const answers = await Promise.all(Array.from({ length: 4 }, () => api.call('/suppression/ClearBounceSuppression', { recipient: 'ann@elsewhere.test' })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await get('ann@elsewhere.test')).bounce).toMatchObject({ level: 'NONE', count: 1 });
});
