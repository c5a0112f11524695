import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { readAllPages } from '../../../core/storage/page.ts';
import { catchAllsOf } from './catch-all-on-wire.ts';
import type { MemberReads } from './group-members-on-wire.ts';

type Dependencies = MemberReads & { readonly domains: Pick<Domains, 'list'> };

export const listCatchAlls = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListCatchAlls, {
    prefetch: () => readAllPages(dependencies.domains.list),
    async run(_request, _call, domains) {
      const ready = domains.filter(({ state }) => state === 'ready').toSorted(({ domain: one }, { domain: other }) => (one < other ? -1 : 1));
      return { catch_alls: await catchAllsOf(ready, dependencies) };
    },
  });
