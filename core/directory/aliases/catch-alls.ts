import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import { NotFound } from '../../runtime/domain-errors.ts';
import { retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { findItemIn, rowOf, type Table, type Write } from '../../storage/table.ts';
import { accountRow } from '../account-row.ts';
import { userEmailKey, userEmailRow } from '../address-reservations.ts';
import { storedDomainOf, type StoredDomain } from '../domains/domains.ts';
import type { Receiver, ReceivingGroup } from './addresses.ts';

/** Who gets the mail for an address that does not exist: the id of an account or of a group. */
export type CatchAllAddress = { readonly email: string; readonly receiverId: string };

const groupRow = rowOf<{ readonly state: string } & Pick<ReceivingGroup, 'email' | 'writers'>>;

/**
 * Finds who gets the mail for addresses that do not exist, in one BatchGet. An address with which a person signs in is left
 * out, unless they own the account: the receiver would read their codes. A receiver that was deleted is left out.
 */
export const resolveCatchAlls = async (
  table: Pick<Table, 'batchGet'>,
  addresses: readonly CatchAllAddress[],
): Promise<Map<string, Receiver | ReceivingGroup>> => {
  if (addresses.length === 0) return new Map();
  const keyOf = (id: string) => (isIdOf('group', id) ? directoryKeys.group(id) : directoryKeys.account(id));
  const find = findItemIn(await table.batchGet(addresses.flatMap(({ email, receiverId }) => [keyOf(receiverId), userEmailKey(email)])));
  return new Map(
    addresses.flatMap(({ email, receiverId }): (readonly [string, Receiver | ReceivingGroup])[] => {
      const [item, signIn] = [find(keyOf(receiverId)), find(userEmailKey(email))];
      const owner = signIn && userEmailRow(signIn).user_id;
      if (!item) return [];
      if (!isIdOf('group', receiverId)) {
        return owner === undefined || owner === accountRow(item).owner_id ? [[email, { accountId: receiverId, email }]] : [];
      }
      const { state, email: ofGroup, writers } = groupRow(item);
      return owner === undefined && state === 'ready' ? [[email, { groupId: receiverId, email: ofGroup, writers }]] : [];
    }),
  );
};

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
