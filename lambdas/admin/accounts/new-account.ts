import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import { addressAt } from '../../../core/directory/addresses.ts';
import type { Accounts } from '../../../core/directory/accounts.ts';
import type { Domains, StoredDomain } from '../../../core/directory/domains.ts';
import type { StoredUser, Users } from '../../../core/directory/users.ts';
import type { MailStore } from '../../../core/mail/mail-store.ts';

export type AccountStores = {
  readonly accounts: Accounts;
  readonly users: Pick<Users, 'find'>;
  readonly domains: Pick<Domains, 'find'>;
  readonly mailStore: Pick<MailStore, 'createAccount'>;
  readonly newId: NewId;
  readonly clock: Clock;
};

export type WantedAccount = { readonly user_id: string; readonly name: string; readonly local_part: string; readonly domain_id: string };

/** How often it is begun again because the owner changed in the middle. */
const tries = 5;

/** Who is to own a new account and where its address is to be, as the directory knows them. */
export type OwnerAndDomain = readonly [owner: StoredUser | undefined, domain: StoredDomain | undefined];

/** Reads them in one trip. */
export const lookAtNewAccount = ({ users, domains }: Pick<AccountStores, 'users' | 'domains'>, wanted: WantedAccount): Promise<OwnerAndDomain> =>
  Promise.all([users.find(wanted.user_id), domains.find(wanted.domain_id)]);

/** @throws RpcError for what is not fit for a new account. */
const fit = ([owner, domain]: OwnerAndDomain): { owner: StoredUser; domain: StoredDomain } => {
  if (!owner || owner.is_deleted) throw notFound('user');
  if (!domain) throw notFound('domain');
  if (!owner.is_active) throw new RpcError('failed_precondition', 'the user is not active');
  if (domain.state === 'removing') throw new RpcError('failed_precondition', 'the domain is being removed');
  if (!domain.send_enabled) throw new RpcError('failed_precondition', 'the domain is not enabled for sending');
  return { owner, domain };
};

const primaryAlias = (accountId: string, email: string, wanted: WantedAccount, newId: NewId, at: string): Alias => ({
  alias_id: newId('alias'), account_id: accountId, email, domain_id: wanted.domain_id, is_primary: true, is_active: true, is_visible: true, can_send_from: true,
  created_at: at, updated_at: at,
});

/**
 * Makes an account in one transaction over the directory and the mail table: its address, record, owner's membership and mailboxes are there together or not
 * at all. Of two calls for one address one makes it.
 * @param found what was just read; it is read again when it has moved meanwhile.
 * @throws RpcError not_found (user, domain), failed_precondition, already_exists for an address that is taken, aborted.
 */
export const createAccount = async (stores: AccountStores, found: OwnerAndDomain, wanted: WantedAccount, audit: Audit): Promise<Account> => {
  const { accounts, mailStore, newId, clock } = stores;
  let known = found;
  for (let count = 0; count < tries; count++) {
    const { owner, domain } = fit(known);
    const [accountId, email, now] = [newId('account'), addressAt(wanted.local_part, domain.domain), clock()];
    const alias = primaryAlias(accountId, email, wanted, newId, now.toISOString());
    audit.about({
      entity_id: accountId, entity_name: wanted.name, metadata: { user_id: wanted.user_id }, changes: changesBetween({}, { name: wanted.name, email }, ['name', 'email']),
    });
    const outcome = await accounts.make({ accountId, name: wanted.name, owner, alias, now }, (writes) => mailStore.createAccount(accountId, [...writes, ...audit.writes()]));
    if (outcome === 'made') return { account_id: accountId, name: wanted.name, email, shared: false, created_at: now.toISOString() };
    if (outcome === 'taken') throw new RpcError('already_exists', 'somebody has this address already');
    known = await lookAtNewAccount(stores, wanted);
  }
  throw new RpcError('aborted', 'others are changing the same things; try again');
};
