import type { AuditLog } from '../../../contract/admin/audit.ts';
import { changeRequestsIn } from '../../../core/directory/change-requests/change-requests.ts';
import { newId } from '../../../core/runtime/ids.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, everyMethod } from '../../support/admin-api.ts';
import { createResources, successfulCalls, type AdminCall } from '../../support/successful-admin-calls.ts';

/** An admin API with resources. While `auditLog.isDown`, every transaction that contains an audit entry fails. */
const apiWithAuditLog = async () => {
  const auditLog = { isDown: false };
  const refusing = (): Table => {
    const table = memoryTable();
    return {
      ...table,
      async write(writes) {
        const hasEntry = writes.some((write) => 'put' in write && write.put.pk.startsWith('audit#'));
        if (auditLog.isDown && hasEntry) throw new Error('the audit log is down');
        await table.write(writes);
      },
    };
  };
  const api = await adminApi({ directory: refusing(), mail: refusing(), sending: refusing() });
  const resources = await createResources(api);
  const requests = changeRequestsIn(api.directory, { newId, clock: () => new Date() });
  await requests.transition((await requests.find(resources.request_id))!, 'needs-information', {});
  const { case_id } = await api.ok('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] });
  const additionalCalls: AdminCall[] = [
    ['/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] }],
    ['/support/SetSupportCaseTiers', { case_id, allowed_tiers: ['CONFIG_READ'] }],
    ['/support/SetSupportCaseActiveUntil', { case_id, active_until: new Date().toISOString() }],
    ['/support/CloseSupportCase', { case_id }],
    ['/support/ListSupportCases', {}],
    ['/support/ListSupportRoleAssumptions', { case_id }],
    ['/change-requests/ProvideChangeRequestInfo', { request_id: resources.request_id, comment: { text: 'x' } }],
  ];
  const entries = async () => (await api.ok('/audit/ListAuditLogs', { page_size: 100 }))['audit_logs'] as AuditLog[];
  return { api, auditLog, entries, calls: [...additionalCalls, ...successfulCalls(resources)] };
};

const methodAt = (path: string) => everyMethod.find((method) => method.path === path)!;

test('the calls below cover every method', async () => {
  const { calls } = await apiWithAuditLog();
  expect([...new Set(calls.map(([path]) => path))].sort()).toEqual(everyMethod.map(({ path }) => path).sort());
});

test('every changing call is audited once, with its actor; a reading call is not audited', async () => {
  const { api, entries, calls } = await apiWithAuditLog();
  for (const [path, request] of calls) {
    const before = new Set((await entries()).map(({ audit_id: id }) => id));
    await api.ok(path, request);
    const { name, method, service } = methodAt(path);
    const action = `${service.name}/${method.aliasOf ?? name}`;
    const entry = { action, status: 'success', entity_id: expect.stringMatching(/./), actor: expect.objectContaining({ actor_id: 'user_admin' }) };
    expect((await entries()).filter(({ audit_id: id }) => !before.has(id))).toEqual(method.changes ? [expect.objectContaining(entry)] : []);
  }
});

test('no changing call succeeds while the audit log is down; the next call repairs it', async () => {
  const { api, auditLog, calls } = await apiWithAuditLog();
  for (const [path, request, variant] of calls) {
    if (methodAt(path).method.changes) {
      auditLog.isDown = true;
      const { status, body } = await api.call(path, request);
      const failure = { path, variant, isFailure: status >= 500, fields: Object.keys(body).sort() };
      expect(failure).toEqual({ path, variant, isFailure: true, fields: ['code', 'message'] });
      auditLog.isDown = false;
    }
    await api.ok(path, request);
  }
});
