import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { AliasMoves } from '../../../core/directory/aliases/alias-moves.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { auditAliasChange } from './alias-audit.ts';

type Dependencies = { readonly aliases: Pick<Aliases, 'find'>; readonly aliasMoves: Pick<AliasMoves, 'setPrimary'>; readonly clock: Clock };

export const setPrimaryAlias = ({ aliases, aliasMoves, clock }: Dependencies) =>
  adminMethod(contract.methods.SetPrimaryAlias, {
    prefetch: ({ alias_id }) => aliases.find(alias_id),
    run: async ({ alias_id }, { audit }, prefetched) => ({ alias: await aliasMoves.setPrimary(prefetched, alias_id, clock(), auditAliasChange(audit)) }),
  });
