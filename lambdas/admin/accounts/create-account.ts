import { accounts as contract, type Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { identity } from '../../../contract/jmap/identity.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import { parseEmailAddress } from '../../../contract/values/mail-address.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { signInAddressTaken } from '../../../core/directory/address-reservations.ts';
import { addressAt } from '../../../core/directory/aliases/addresses.ts';
import type { Domains, StoredDomain } from '../../../core/directory/domains/domains.ts';
import type { StoredUser, Users } from '../../../core/directory/users/users.ts';
import { identityOfAlias } from '../../../core/mail/identity-type.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { conflict, retryOnConflictFrom } from '../../../core/storage/retry-on-conflict.ts';

type Dependencies = {
  readonly accounts: Pick<Accounts, 'create'>;
  readonly users: Pick<Users, 'find'>;
  readonly domains: Pick<Domains, 'find'>;
  readonly mailStore: Pick<MailStore, 'createAccount'>;
  readonly suppressions: Pick<Suppressions, 'clearingWrites'>;
  readonly newId: NewId;
  readonly clock: Clock;
};

type AccountRequest = Request<typeof contract.methods.CreateAccount>;

type OwnerAndDomain = readonly [owner: StoredUser | undefined, domain: StoredDomain | undefined];

/**
 * Checks the owner and the domain. @throws RpcError not_found or failed_precondition if one of them cannot have a new
 * account.
 */
const requireUsable = ([owner, domain]: OwnerAndDomain): { owner: StoredUser; domain: StoredDomain } => {
  if (!owner || owner.is_deleted) throw notFound('user');
  if (!domain) throw notFound('domain');
  if (!owner.is_active) throw new RpcError('failed_precondition', 'the user is not active');
  if (domain.state === 'removing') throw new RpcError('failed_precondition', 'the domain is being removed');
  if (!domain.send_enabled) throw new RpcError('failed_precondition', 'the domain is not enabled for sending');
  return { owner, domain };
};

/** Whether a name is an address. Readers could take such a name for the address of the sender. */
const isAddress = (name: string): boolean => parseEmailAddress(name.trim()) !== undefined;

/**
 * The sender name of mail from the new account: the owner's name if the account becomes the owner's primary account,
 * otherwise the account's. A name that is an address is not used.
 */
const senderName = ({ primary_account_id: primary, display_name: ownerName }: StoredUser, accountName: string): string | undefined =>
  [primary === undefined ? ownerName : undefined, accountName].find((name) => name !== undefined && !isAddress(name));

const primaryAlias = (accountId: string, email: string, domainId: string, name: string | undefined, newId: NewId, createdAt: string): Alias => ({
  alias_id: newId('alias'),
  account_id: accountId,
  email,
  domain_id: domainId,
  is_primary: true,
  is_active: true,
  is_visible: true,
  can_send_from: true,
  ...(name !== undefined && { name }),
  created_at: createdAt,
  updated_at: createdAt,
});

/**
 * Creates the account in one transaction over the directory and the mail table: its record, address, owner's
 * membership, Mailboxes and Identity are stored together or not at all. The same transaction clears the suppression of
 * its address.
 */
export const createAccount = ({ accounts, users, domains, mailStore, suppressions, newId, clock }: Dependencies) => {
  const readOwnerAndDomain = ({ user_id, domain_id }: AccountRequest): Promise<OwnerAndDomain> => Promise.all([users.find(user_id), domains.find(domain_id)]);

  return adminMethod(contract.methods.CreateAccount, {
    prefetch: readOwnerAndDomain,
    async run(request, { audit }, prefetched) {
      const { name, user_id, local_part, domain_id } = request;
      return retryOnConflictFrom(
        prefetched,
        () => readOwnerAndDomain(request),
        async (ownerAndDomain) => {
          const { owner, domain } = requireUsable(ownerAndDomain);
          const [accountId, email, now] = [newId('account'), addressAt(local_part, domain.domain), clock()];
          const alias = primaryAlias(accountId, email, domain_id, senderName(owner, name), newId, now.toISOString());
          audit.describe({ entity_id: accountId, entity_name: name, metadata: { user_id }, changes: changesBetween({}, { name, email }, ['name', 'email']) });
          const outcome = await accounts.create(
            { accountId, name, owner, alias, now },
            () => suppressions.clearingWrites(email, 'all', now),
            (writes) => mailStore.createAccount(accountId, [...writes, ...audit.successWrites()], { [identity.name]: [identityOfAlias(alias, true)] }),
          );
          if (outcome === 'address-taken') throw new RpcError('already_exists', 'the address is taken');
          if (outcome === 'sign-in-address') throw new RpcError('already_exists', signInAddressTaken);
          if (outcome === 'changed') return conflict;
          const account: Account = { account_id: accountId, name, email, shared: false, created_at: now.toISOString() };
          return { account };
        },
      );
    },
  });
};
