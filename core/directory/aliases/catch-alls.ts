import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { NotFound } from '../../runtime/domain-errors.ts';
import { retryOnConflict } from '../../storage/retry-on-conflict.ts';
import type { Table, Write } from '../../storage/table.ts';
import { storedDomainOf, type StoredDomain } from '../domains/domains.ts';

/** Sets who gets the mail for all addresses at a domain that do not exist. The domain and its name, which deliveries read, have it. */
export type CatchAlls = {
  /** @param receiverId undefined for nobody. @throws NotFound (domain), StoreConflict. */
  set(domainId: string, receiverId: string | undefined, additionalWrites: (before: StoredDomain) => readonly Write[]): Promise<StoredDomain>;
};

export const catchAllsIn = (table: Table): CatchAlls => ({
  set: (domainId, receiverId, additionalWrites) =>
    retryOnConflict(async () => {
      const item = await table.get(directoryKeys.domain(domainId));
      const before = item && storedDomainOf(item);
      if (before?.state !== 'ready') throw new NotFound('domain');
      const change = receiverId === undefined ? { remove: ['catch_all'] } : { set: { catch_all: receiverId } };
      await table.write([
        { update: directoryKeys.domain(domainId), ...change, add: { version: 1 }, if: { equals: { state: 'ready', version: before.version } } },
        { update: directoryKeys.domainName(before.domain), ...change, if: { equals: { domain_id: domainId, state: 'ready' } } },
        ...additionalWrites(before),
      ]);
      return before;
    }),
});
