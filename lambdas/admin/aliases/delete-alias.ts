import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { aliasAuditSubject } from './alias-audit.ts';

export const deleteAlias = ({ aliases }: { readonly aliases: Pick<Aliases, 'find' | 'remove'> }) =>
  adminMethod(contract.methods.DeleteAlias, {
    prefetch: ({ alias_id }) => aliases.find(alias_id),
    async run({ alias_id }, { audit }, prefetched) {
      await aliases.remove(prefetched, alias_id, (alias) => {
        audit.describe(aliasAuditSubject(alias, undefined));
        return audit.successWrites();
      });
      return {};
    },
  });
