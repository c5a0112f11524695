import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { auditAliasChange } from './alias-audit.ts';

type Dependencies = { readonly aliases: Pick<Aliases, 'find' | 'update'>; readonly clock: Clock };

export const updateAlias = ({ aliases, clock }: Dependencies) =>
  adminMethod(contract.methods.UpdateAlias, {
    prefetch: ({ alias_id }) => aliases.find(alias_id),
    run: async ({ alias_id, ...changes }, { audit }, prefetched) => ({
      alias: await aliases.update(prefetched, alias_id, changes, clock(), auditAliasChange(audit)),
    }),
  });
