import { domainOf } from './addresses.ts';
import { isActiveProfile } from '../users/principals.ts';
import { findItemIn, type FindItem, type Item, type Key, type Table } from '../../storage/table.ts';

/**
 * The sender of mail: a principal, for an account, from one of its addresses. Without a principal it is the account
 * itself, as for a vacation response.
 */
export type Sender = { readonly accountId: string; readonly principalId?: string | undefined; readonly email: string };

/**
 * The reason why a sender may not send. Some reasons concern the sender's address, the others the person and the
 * account.
 */
export type SendRefusal = 'no-account' | 'inactive-user' | 'no-member' | 'read-only-member' | RefusedAddress;
type RefusedAddress = 'no-address-of-account' | 'inactive-address' | 'receive-only-address' | 'receive-only-domain';

/** A sentence for each refusal, for set errors and for replies that a failure report has. */
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

/** Whether a refusal is about the address: another one of the account may be allowed. */
export const isAboutAddress = (refusal: SendRefusal): boolean =>
  ['no-address-of-account', 'inactive-address', 'receive-only-address', 'receive-only-domain'].includes(refusal);

/** The flags of an alias and its domain about sending. */
type SendingAlias = { readonly is_active: boolean; readonly can_send_from: boolean };
type SendingDomain = { readonly send_enabled: boolean; readonly state: string };

/** Whether mail may be sent from an alias at a domain. It decides over Identities too. */
export const aliasMaySend = (alias: SendingAlias, domain: SendingDomain): boolean =>
  alias.is_active && alias.can_send_from && domain.send_enabled && domain.state === 'ready';

const keysOf = ({ accountId, principalId, email }: Sender) => {
  const address = email.toLowerCase();
  return {
    account: { pk: 'account', sk: accountId },
    user: { pk: 'user', sk: principalId ?? '' },
    member: { pk: `account-member#${accountId}`, sk: principalId ?? '' },
    address: { pk: 'address', sk: address },
    domain: { pk: 'domain-name', sk: domainOf(address) },
  };
};

/** The items that decide whether these senders may send, for a BatchGet with other items of the directory. */
export const senderKeys = (senders: readonly Sender[]): readonly Key[] => {
  const keys = senders.flatMap((sender) => Object.values(keysOf(sender))).filter(({ sk }) => sk !== '');
  return [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
};

/** @returns undefined when the sender may send. */
const refusalOf = (sender: Sender, find: FindItem): SendRefusal | undefined => {
  const keys = keysOf(sender);
  const [user, member, address, domain] = [find(keys.user), find(keys.member), find(keys.address), find(keys.domain)];
  if (!find(keys.account)) return 'no-account';
  if (sender.principalId !== undefined) {
    // A machine is a member without a profile.
    if (user && !isActiveProfile(user)) return 'inactive-user';
    if (!member) return 'no-member';
    if (member['role'] === 'READ') return 'read-only-member';
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
  /** The reason why each of the senders may not send; undefined for those that may. In one BatchGet, with the keys of `senderKeys`. */
  refusals(senders: readonly Sender[]): Promise<readonly (SendRefusal | undefined)[]>;
  /** The same from items that were read by `senderKeys`. */
  refusalsBy(senders: readonly Sender[], items: readonly Item[]): readonly (SendRefusal | undefined)[];
};

export const sendingRightsIn = (table: Pick<Table, 'batchGet'>): SendingRights => {
  const refusalsBy: SendingRights['refusalsBy'] = (senders, items) => senders.map((sender) => refusalOf(sender, findItemIn(items)));
  return {
    refusals: async (senders) => refusalsBy(senders, await table.batchGet(senderKeys(senders))),
    refusalsBy,
  };
};
