import { audit as contract } from '../../../contract/admin/audit.ts';
import type { AuditEntries } from '../../../core/directory/audit-log.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Dependencies = { readonly entries: Pick<AuditEntries, 'actors'> };

export const listActors = ({ entries }: Dependencies) =>
  adminMethod(contract.methods.ListActors, { run: async ({ actor_type }) => ({ actors: await entries.actors(actor_type) }) });
