import { feedbackIn } from '../../lambdas/store/sending/mail-feedback.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { adminApi } from '../support/admin-api.ts';
import { tripsTable } from '../support/trips-table.ts';

test('calls about sending wait for few trips: the list says how many to the directory and how many to the sending table', async () => {
  const [directory, sending] = [tripsTable(memoryTable()), tripsTable(memoryTable())];
  const api = await adminApi({ directory, sending });
  const { id } = (await api.ok('/domains/AddDomain', { domain: 'example.test' }))['domain'] as { id: string };
  api.emailProvider.verify('example.test');
  await api.ok('/domains/ListDomains');
  await feedbackIn(sending).keep({ id: 'f', type: 'BOUNCE', message_class: 'BULK', recipient: 'ann@elsewhere.test', identity_id: id, timestamp: '2026-11-21T08:38:00.000Z', provider_message_id: 'm' }, new Date());
  const trips = async (path: string, request: object) => {
    const before = [directory.trips.count, sending.trips.count];
    await api.ok(path, request);
    return [directory.trips.count, sending.trips.count].map((count, index) => count - before[index]!);
  };
  const recipient = 'ann@elsewhere.test';
  expect(await trips('/mail-feedback/ListRecentFeedback', {})).toEqual([1, 1]);
  expect(await trips('/mail-feedback/ListFeedbackByIdentity', { identity_id: id })).toEqual([1, 1]);
  expect(await trips('/mail-feedback/ListFeedbackByRecipient', { recipient })).toEqual([1, 1]);
  expect(await trips('/suppression/GetSuppression', { recipient })).toEqual([1, 1]);
  expect(await trips('/suppression/ListSuppressions', {})).toEqual([1, 2]);
  // The entry of the audit log is begun before and concluded after, since it is kept elsewhere than what changes; the record is read and written.
  expect(await trips('/suppression/ClearBounceSuppression', { recipient })).toEqual([3, 2]);
  expect(await trips('/suppression/ClearComplaintSuppression', { recipient, message_class: 'BULK' })).toEqual([3, 2]);
  // Beside the audit log: the domain, with it whether the recipient is suppressed; the submission; then the queue.
  expect(await trips('/domains/SendTestEmail', { id, test_type: 'NORMAL', to_email: 'bob@elsewhere.test' })).toEqual([3, 2]);
});
