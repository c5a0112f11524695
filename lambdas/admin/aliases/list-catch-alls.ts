import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import { readAllPages } from '../../../core/storage/page.ts';
import { catchAllsOf } from './catch-all-on-wire.ts';
import type { MemberReads } from './group-members-on-wire.ts';

type Dependencies = MemberReads & { readonly domains: Pick<Domains, 'find' | 'list'> };

export const listCatchAlls = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListCatchAlls, {
    prefetch: async ({ domain_id: id }) => (id === undefined ? readAllPages(dependencies.domains.list) : [(await dependencies.domains.find(id)) ?? []].flat()),
    async run({ domain_id: id }, _call, domains) {
      if (id !== undefined && domains.length === 0) throw notFound('domain');
      const ready = domains.filter(({ state }) => state === 'ready').toSorted(({ domain: one }, { domain: other }) => (one < other ? -1 : 1));
      return { catch_alls: await catchAllsOf(ready, dependencies) };
    },
  });
