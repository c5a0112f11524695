import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { findItemIn, type FindItem, type Item, type Key, type Table } from '../../storage/table.ts';
import { isActiveProfile, isPersonId, mayWrite } from '../users/principals.ts';

/**
 * A sender of mail: a principal that sends for an account, from an address of it or of a group that it is a member of. Without a principal, the account itself
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

/** The keys of the items that decide whether these senders may send. */
const senderKeys = (senders: readonly Sender[]): readonly Key[] => {
  const keys = senders.flatMap((sender) => Object.values(keysOf(sender))).filter(({ sk }) => sk !== '');
  return [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
};

/** The key of the membership by which an account sends from the address of a group. Undefined for an address of an account. */
const membershipKey = ({ accountId, email }: Sender, find: FindItem): Key | undefined => {
  const groupId = find(directoryKeys.address(email.toLowerCase()))?.['group_id'];
  return typeof groupId === 'string' ? directoryKeys.groupMember(groupId, accountId) : undefined;
};

/** The reason for which nobody of the account sends from the address; the domain is not looked at. */
const refusedAddress = (sender: Sender, address: Item | undefined, find: FindItem): RefusedAddress | undefined => {
  if (address?.['state'] !== 'ready') return 'no-address-of-account';
  const membership = membershipKey(sender, find);
  if (membership) {
    if (!find(membership)) return 'no-address-of-account';
    return address['members_may_send'] === true ? undefined : 'receive-only-address';
  }
  if (address['account_id'] !== sender.accountId) return 'no-address-of-account';
  if (address['is_active'] !== true) return 'inactive-address';
  return address['can_send_from'] === true ? undefined : 'receive-only-address';
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
  const refused = refusedAddress(sender, address, find);
  if (refused) return refused;
  const maySend = domain && domain['state'] !== 'creating' && domain['send_enabled'] === true;
  return maySend ? undefined : 'receive-only-domain';
};

/**
 * Decides who may send from an address, by the current directory. An EmailSubmission is checked when it is created and
 * again when it is sent, so that a deactivation, a removal or a change of an address takes effect immediately.
 */
export type SendingRights = {
  /**
   * The reason why each of the senders may not send; undefined for a sender that may. It takes one BatchGet, and another one
   * for senders from the addresses of groups.
   */
  refusals(senders: readonly Sender[]): Promise<readonly (SendRefusal | undefined)[]>;
};

export const sendingRightsIn = (table: Pick<Table, 'batchGet'>): SendingRights => ({
  async refusals(senders) {
    const items = await table.batchGet(senderKeys(senders));
    const memberships = senders.flatMap((sender) => membershipKey(sender, findItemIn(items)) ?? []);
    const find = findItemIn([...items, ...(memberships.length > 0 ? await table.batchGet(memberships) : [])]);
    return senders.map((sender) => refusalOf(sender, find));
  },
});
