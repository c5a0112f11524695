import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Aliases } from '../../../core/directory/aliases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { aliasAuditSubject } from './alias-audit.ts';

type Connections = { readonly aliases: Pick<Aliases, 'change'>; readonly clock: Clock };

export const updateAlias = ({ aliases, clock }: Connections) => adminMethod(contract.methods.UpdateAlias, {
  run: async ({ alias_id, ...changes }, { audit }) => ({
    alias: await aliases.change(alias_id, changes, clock(), (before, after) => {
      audit.about(aliasAuditSubject(before, after));
      return audit.writes();
    }),
  }),
});
