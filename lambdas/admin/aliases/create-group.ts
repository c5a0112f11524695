import { aliases as contract, type Group } from '../../../contract/admin/aliases.ts';
import { addressAt } from '../../../core/directory/aliases/addresses.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { groupAuditSubject } from './group-audit.ts';

type Dependencies = { readonly groups: Pick<Groups, 'create'>; readonly domains: Pick<Domains, 'find'>; readonly newId: NewId; readonly clock: Clock };

export const createGroup = ({ groups, domains, newId, clock }: Dependencies) =>
  adminMethod(contract.methods.CreateGroup, {
    prefetch: ({ domain_id }) => domains.find(domain_id),
    async run({ local_part, domain_id, ...fields }, { audit }, domain) {
      if (!domain) throw notFound('domain');
      const now = clock().toISOString();
      const email = addressAt(local_part, domain.domain);
      // An address may be longer than a name.
      const name = email.slice(0, 100);
      const group: Group = { name, ...fields, group_id: newId('group'), email, domain_id, member_count: 0, created_at: now, updated_at: now };
      audit.describe(groupAuditSubject(undefined, group));
      await groups.create(group, audit.successWrites());
      return { group };
    },
  });
