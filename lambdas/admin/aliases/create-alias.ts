import { aliases as contract, type Alias } from '../../../contract/admin/aliases.ts';
import { addressAt } from '../../../core/directory/aliases/addresses.ts';
import { primaryOf, type Aliases } from '../../../core/directory/aliases/aliases.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { aliasAuditSubject } from './alias-audit.ts';

type Dependencies = {
  readonly aliases: Pick<Aliases, 'create' | 'findByAccount'>;
  readonly domains: Pick<Domains, 'find'>;
  readonly newId: NewId;
  readonly clock: Clock;
};

export const createAlias = ({ aliases, domains, newId, clock }: Dependencies) =>
  adminMethod(contract.methods.CreateAlias, {
    prefetch: ({ account_id, domain_id, name }) => Promise.all([domains.find(domain_id), name === undefined ? aliases.findByAccount(account_id) : []]),
    async run({ local_part, domain_id, ...fields }, { audit }, [domain, accountAliases]) {
      if (!domain) throw notFound('domain');
      const now = clock().toISOString();
      const primaryName = primaryOf(accountAliases)?.name;
      const alias: Alias = {
        ...(primaryName !== undefined && { name: primaryName }),
        ...fields,
        alias_id: newId('alias'),
        email: addressAt(local_part, domain.domain),
        domain_id,
        is_primary: false,
        created_at: now,
        updated_at: now,
      };
      audit.describe(aliasAuditSubject(undefined, alias));
      await aliases.create(alias, audit.successWrites());
      return { alias };
    },
  });
