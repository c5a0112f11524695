import { newId } from '../../../core/runtime/ids.ts';
import { changeRequestsIn } from '../../../core/directory/change-requests.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, everyMethod } from '../../support/admin-api.ts';
import { callsOf, furnished, type Asked } from '../../support/every-call.ts';

type Entry = { readonly audit_id: string; readonly action: string; readonly status: string; readonly entity_id: string; readonly actor: { readonly actor_id: string } };

/** An admin API whose audit log can be made to take nothing, in whatever transaction it comes. */
const prepared = async () => {
  const log = { isDown: false };
  const refusing = (): Table => {
    const table = memoryTable();
    return {
      ...table,
      async write(writes) {
        if (log.isDown && writes.some((write) => 'put' in write && write.put.pk.startsWith('audit#'))) throw new Error('the audit log takes nothing');
        await table.write(writes);
      },
    };
  };
  const api = await adminApi({ directory: refusing(), mail: refusing(), sending: refusing() });
  const furniture = await furnished(api);
  const requests = changeRequestsIn(api.directory, { newId, clock: () => new Date() });
  await requests.move((await requests.find(furniture.request_id))!, 'needs-information', {});
  const { case_id } = await api.ok('/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] });
  const more: Asked[] = [
    ['/support/OpenSupportCase', { subject: 's', allowed_tiers: ['DIAG'] }], ['/support/SetSupportCaseTiers', { case_id, allowed_tiers: ['CONFIG_READ'] }],
    ['/support/SetSupportCaseActiveUntil', { case_id, active_until: new Date().toISOString() }], ['/support/CloseSupportCase', { case_id }],
    ['/support/ListSupportCases', {}], ['/support/ListSupportRoleAssumptions', { case_id }],
    ['/change-requests/ProvideChangeRequestInfo', { request_id: furniture.request_id, comment: { text: 'x' } }],
  ];
  const entries = async () => (await api.ok('/audit/ListAuditLogs', { page_size: 100 }))['audit_logs'] as Entry[];
  return { api, log, entries, calls: [...more, ...callsOf(furniture)] };
};

const methodAt = (path: string) => everyMethod.find((one) => one.path === path)!;
const changing = (path: string): boolean => methodAt(path).method.changes;

test('every method is called below', async () => {
  const { calls } = await prepared();
  expect([...new Set(calls.map(([path]) => path))].sort()).toEqual(everyMethod.map(({ path }) => path).sort());
});

test('every call that changes something is in the audit log, once and by who made it; none that only reads is', async () => {
  const { api, entries, calls } = await prepared();
  for (const [path, request] of calls) {
    const before = new Set((await entries()).map(({ audit_id: id }) => id));
    await api.ok(path, request);
    const { name, method, service } = methodAt(path);
    const action = `${service.name}/${method.otherNameOf ?? name}`;
    const entry = { action, status: 'success', entity_id: expect.stringMatching(/./), actor: expect.objectContaining({ actor_id: 'user_admin' }) };
    expect((await entries()).filter(({ audit_id: id }) => !before.has(id))).toEqual(method.changes ? [expect.objectContaining(entry)] : []);
  }
});

test('no call that changes something succeeds while the audit log takes nothing; the next call makes it good', async () => {
  const { api, log, calls } = await prepared();
  for (const [path, request, special] of calls) {
    if (changing(path)) {
      log.isDown = true;
      const { status, body } = await api.call(path, request);
      expect({ path, special, isFailure: status >= 500, words: Object.keys(body).sort() }).toEqual({ path, special, isFailure: true, words: ['code', 'message'] });
      log.isDown = false;
    }
    await api.ok(path, request);
  }
});
