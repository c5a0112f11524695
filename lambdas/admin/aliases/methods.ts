import { aliases as contract, type Alias } from '../../../contract/admin/aliases.ts';
import { adminMethod, type AdminMethods } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type AuditSubject } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import { addressAt } from '../../../core/directory/addresses.ts';
import type { Aliases } from '../../../core/directory/aliases.ts';
import type { Domains } from '../../../core/directory/domains.ts';

export type AliasesConnections = { readonly aliases: Aliases; readonly domains: Pick<Domains, 'find'>; readonly newId: NewId; readonly clock: Clock };

/** What an audit entry says of an alias that becomes another; undefined before it is there and after it is gone. */
const subjectOf = (before: Alias | undefined, after: Alias | undefined): Partial<AuditSubject> => {
  const alias = after ?? before;
  return {
    entity_id: alias?.alias_id,
    entity_name: alias?.email,
    metadata: alias && { account_id: alias.account_id },
    changes: changesBetween<Alias>(before, after, ['email', 'is_active', 'is_visible', 'can_send_from', 'name', 'reply_to', 'bcc']),
  };
};

/** What /aliases does. */
export const aliasesMethods = ({ aliases, domains, newId, clock }: AliasesConnections): AdminMethods<typeof contract> => ({
  ListAccountAliases: adminMethod(contract.methods.ListAccountAliases, { run: async ({ account_id }) => ({ aliases: await aliases.list(account_id) }) }),
  CreateAlias: adminMethod(contract.methods.CreateAlias, {
    async run({ local_part, domain_id, ...wanted }, { audit }) {
      const domain = await domains.find(domain_id);
      if (!domain) throw notFound('domain');
      const at = clock().toISOString();
      const alias: Alias = { ...wanted, alias_id: newId('alias'), email: addressAt(local_part, domain.domain), domain_id, is_primary: false, created_at: at, updated_at: at };
      audit.about(subjectOf(undefined, alias));
      await aliases.add(alias, audit.writes());
      return { alias };
    },
  }),
  UpdateAlias: adminMethod(contract.methods.UpdateAlias, {
    run: async ({ alias_id, ...wanted }, { audit }) => ({
      alias: await aliases.change(alias_id, wanted, clock(), (before, after) => {
        audit.about(subjectOf(before, after));
        return audit.writes();
      }),
    }),
  }),
  DeleteAlias: adminMethod(contract.methods.DeleteAlias, {
    async run({ alias_id }, { audit }) {
      await aliases.remove(alias_id, (alias) => {
        audit.about(subjectOf(alias, undefined));
        return audit.writes();
      });
      return {};
    },
  }),
});
