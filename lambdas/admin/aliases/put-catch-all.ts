import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import type { CatchAlls } from '../../../core/directory/aliases/catch-alls.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import { catchAllsOf } from './catch-all-on-wire.ts';
import { auditCatchAll } from './group-audit.ts';
import { holderOf, noHolder, type MemberReads } from './group-members-on-wire.ts';

type Dependencies = MemberReads & { readonly addresses: Pick<Addresses, 'find'>; readonly domains: Pick<Domains, 'find'>; readonly catchAlls: CatchAlls };

export const putCatchAll = (dependencies: Dependencies) =>
  adminMethod(contract.methods.PutCatchAll, {
    prefetch: ({ domain_id, address }) => Promise.all([dependencies.domains.find(domain_id), dependencies.addresses.find(address)]),
    async run({ domain_id, address }, { audit }, [known, found]) {
      if (!known) throw notFound('domain');
      const receiverId = holderOf(found);
      if (receiverId === undefined) throw noHolder([address]);
      const domain = await dependencies.catchAlls.set(domain_id, receiverId, auditCatchAll(audit, receiverId));
      const [catch_all] = await catchAllsOf([{ ...domain, catch_all: receiverId }], dependencies);
      return { catch_all: catch_all! };
    },
  });
