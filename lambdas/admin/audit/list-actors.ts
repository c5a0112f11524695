import { audit as contract } from '../../../contract/admin/audit.ts';
import type { AuditEntries } from '../../../core/directory/operations/audit-log.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Connections = { readonly entries: Pick<AuditEntries, 'actors'> };

export const listActors = ({ entries }: Connections) => adminMethod(contract.methods.ListActors, {
  run: async ({ actor_type }) => ({ actors: await entries.actors(actor_type) }),
});
