import type { IdentityStore } from '../../mail/account-identities.ts';
import { changedIdentity } from '../../mail/identity-type.ts';
import type { Item, Table, Write } from '../../storage/table.ts';
import { accountAddressRow, addressHolder, addressKey, groupAddressRow, type AddressRow } from '../address-reservations.ts';
import type { StoredDomain } from '../domains/domains.ts';
import type { IdentityTasks } from './identity-tasks.ts';
import { aliasMaySend } from './may-send.ts';

/** Maximum addresses of the deployment up to which a change of a domain reads all addresses. */
const maxAddresses = 1000;

/**
 * Maximum addresses of a domain up to which their Identities change in the domain's transaction, which then has at most
 * 90 writes.
 */
const maxAddressesAtDomain = 20;

/** The addresses at a domain. Undefined when the domain or the deployment has too many. */
export type AddressesAtDomain = readonly Item[] | undefined;

/** Keeps the Identities of a domain's addresses consistent with `send_enabled` of the domain. */
export type DomainIdentities = {
  findAddresses(domainId: string): Promise<AddressesAtDomain>;
  /**
   * The writes for the transaction that changes `send_enabled`. They change the Identities when there are few
   * addresses, else they request a task of the identity-sync Lambda. They fail when an address or an Identity changed
   * since it was read.
   * @param domain the domain before the change. The transaction must check its number of addresses.
   */
  writes(domain: StoredDomain, sendEnabled: boolean, addresses: AddressesAtDomain): Promise<readonly Write[]>;
};

/** A check that the address has not changed since it was read. */
const unchangedCheck = (email: string, { alias_id, is_active, can_send_from, state }: AddressRow): Write => ({
  check: addressKey(email),
  if: { equals: { alias_id, is_active, can_send_from, state } },
});

export const domainIdentitiesIn = (
  directory: Pick<Table, 'query'>,
  identities: IdentityStore,
  tasks: Pick<IdentityTasks, 'requestWrite'>,
): DomainIdentities => ({
  async findAddresses(domainId) {
    const all = await directory.query({ pk: addressKey('').pk, limit: maxAddresses + 1 });
    const atDomain = all.filter((address) => address['domain_id'] === domainId && addressHolder(address).state !== 'freed');
    return all.length > maxAddresses || atDomain.length > maxAddressesAtDomain ? undefined : atDomain;
  },
  async writes(domain, sendEnabled, addresses) {
    const task = [tasks.requestWrite(domain.id)];
    // The members of a group may have no address at the domain.
    const isOfSendingGroup = addresses?.some((item) => groupAddressRow(item)?.members_may_send);
    if (!addresses || addresses.length !== domain.address_count || isOfSendingGroup) return task;
    const rows = addresses.flatMap((item) => {
      const row = accountAddressRow(item);
      return row ? [{ email: item.sk, row }] : [];
    });
    const ready = rows.map(({ row }) => row).filter(({ state }) => state === 'ready');
    const accountIds = [...new Set(ready.map(({ account_id: accountId }) => accountId))];
    const found = await Promise.all(accountIds.map((accountId) => identities.read(accountId)));
    const writes: Write[] = rows.map(({ email, row }) => unchangedCheck(email, row));
    for (const account of found) {
      const own = ready.filter((address) => address.account_id === account?.accountId);
      const put = own.flatMap((address) => {
        const maySend = aliasMaySend(address, { ...domain, send_enabled: sendEnabled });
        const record = account!.records.find(({ id }) => id === address.alias_id);
        return record ? [changedIdentity(record, { maySend })] : maySend ? [undefined] : [];
      });
      // An Identity that does not exist yet is created from the alias, which the task reads.
      if (!account || put.includes(undefined)) return task;
      writes.push(...identities.writes(account, { put: put.filter((record) => record !== undefined) }));
    }
    return writes;
  },
});
