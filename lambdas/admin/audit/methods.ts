import { systemActions, audit as contract } from '../../../contract/admin/audit.ts';
import { services } from '../../../contract/admin/index.ts';
import type { Service } from '../../../contract/rpc.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { AuditEntries } from '../../../core/directory/audit-log.ts';

/** Every action that can be in the record. A method that is another's other name is recorded by the latter. */
const operations: readonly string[] = [
  ...Object.values<Service>(services).flatMap(({ name: service, methods }) =>
    Object.entries(methods).filter(([, { changes, otherNameOf }]) => changes && otherNameOf === undefined).map(([name]) => `${service}/${name}`)),
  ...systemActions,
].sort();

/** What /audit does. */
export const auditMethods = ({ entries }: { readonly entries: AuditEntries }): AdminMethods<typeof contract> => ({
  ListAuditLogs: adminMethod(contract.methods.ListAuditLogs, {
    async run({ operation, actor, page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await entries.list({ operation, actor }, pageAfter, page_size);
      return { audit_logs: [...items], next_page_token: await nextPageToken(next) };
    },
  }),
  ListActors: adminMethod(contract.methods.ListActors, { run: async ({ actor_type }) => ({ actors: await entries.actors(actor_type) }) }),
  ListOperations: adminMethod(contract.methods.ListOperations, { run: async () => ({ operations: [...operations] }) }),
});
