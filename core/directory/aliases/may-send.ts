import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { findItemIn, type FindItem, type Item, type Key, type Table } from '../../storage/table.ts';
import { isActiveProfile, isPersonId, mayWrite } from '../users/principals.ts';

/**
 * A sender of mail: a principal that sends for an account, from an address. Without a principal, the account itself
 * sends.
 */
export type Sender = { readonly accountId: string; readonly principalId?: string | undefined; readonly email: string };

/** The reason why a sender may not send. It concerns the address, or the person and the account. */
export type SendRefusal = 'no-account' | 'inactive-user' | 'no-member' | 'read-only-member' | RefusedAddress;
type RefusedAddress = 'no-address-of-account' | 'inactive-address' | 'receive-only-address' | 'receive-only-domain';

/** The sentence for each refusal, used in set errors and in failure reports. */
export const sendRefusalText: { readonly [refusal in SendRefusal]: string } = {
  'no-account': 'The account does not exist any more.',
  'inactive-user': 'The person is not active.',
  'no-member': 'The sender is not a member of the account.',
  'read-only-member': 'The sender may only read the mail of the account.',
  'no-address-of-account': 'The sender address is not an address of the account.',
  'inactive-address': 'The sender address is not active.',
  'receive-only-address': 'The sender address may not send.',
  'receive-only-domain': 'The domain of the sender address may not send.',
};

/** Whether a refusal concerns the address, so that another address of the account may be allowed. */
export const isAboutAddress = (refusal: SendRefusal): boolean =>
  ['no-address-of-account', 'inactive-address', 'receive-only-address', 'receive-only-domain'].includes(refusal);

/** The flags of an alias that decide about sending. */
type SendingAlias = { readonly is_active: boolean; readonly can_send_from: boolean };
type SendingDomain = { readonly send_enabled: boolean; readonly state: string };

/** Whether mail may be sent from an alias at a domain. Identities follow the same rule. */
export const aliasMaySend = (alias: SendingAlias, domain: SendingDomain): boolean =>
  alias.is_active && alias.can_send_from && domain.send_enabled && domain.state === 'ready';

const keysOf = ({ accountId, principalId, email }: Sender) => {
  const address = email.toLowerCase();
  return {
    account: directoryKeys.account(accountId),
    user: directoryKeys.user(principalId ?? ''),
    member: directoryKeys.accountMember(accountId, principalId ?? ''),
    address: directoryKeys.address(address),
    domain: directoryKeys.domainName(domainOf(address)),
  };
};

/**
 * The keys of the items that decide whether these senders may send, for a BatchGet together with other items of the
 * directory.
 */
export const senderKeys = (senders: readonly Sender[]): readonly Key[] => {
  const keys = senders.flatMap((sender) => Object.values(keysOf(sender))).filter(({ sk }) => sk !== '');
  return [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
};

/** Finds the reason for which a sender may not send. @returns undefined when the sender may send. */
const refusalOf = (sender: Sender, find: FindItem): SendRefusal | undefined => {
  const keys = keysOf(sender);
  const [user, member, address, domain] = [find(keys.user), find(keys.member), find(keys.address), find(keys.domain)];
  if (!find(keys.account)) return 'no-account';
  if (sender.principalId !== undefined) {
    // Only a machine may be without a record as user.
    if (user ? !isActiveProfile(user) : isPersonId(sender.principalId)) return 'inactive-user';
    if (!member) return 'no-member';
    if (!mayWrite(member['role'])) return 'read-only-member';
  }
  if (address?.['account_id'] !== sender.accountId || address['state'] !== 'ready') return 'no-address-of-account';
  if (address['is_active'] !== true) return 'inactive-address';
  if (address['can_send_from'] !== true) return 'receive-only-address';
  const maySend = domain && domain['state'] !== 'creating' && domain['send_enabled'] === true;
  return maySend ? undefined : 'receive-only-domain';
};

/**
 * Decides who may send from an address, by the current directory. An EmailSubmission is checked when it is created and
 * again when it is sent, so that a deactivation, a removal or a change of an address takes effect immediately.
 */
export type SendingRights = {
  /**
   * The reason why each of the senders may not send; undefined for a sender that may. It takes one BatchGet of
   * `senderKeys`.
   */
  refusals(senders: readonly Sender[]): Promise<readonly (SendRefusal | undefined)[]>;
  /** As `refusals`, from items that the caller has read with the keys of `senderKeys`. */
  refusalsBy(senders: readonly Sender[], items: readonly Item[]): readonly (SendRefusal | undefined)[];
};

export const sendingRightsIn = (table: Pick<Table, 'batchGet'>): SendingRights => {
  const refusalsBy: SendingRights['refusalsBy'] = (senders, items) => senders.map((sender) => refusalOf(sender, findItemIn(items)));
  return { refusals: async (senders) => refusalsBy(senders, await table.batchGet(senderKeys(senders))), refusalsBy };
};
