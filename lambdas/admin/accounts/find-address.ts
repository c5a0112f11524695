import { accounts as contract } from '../../../contract/admin/accounts.ts';
import type { Group } from '../../../contract/admin/aliases.ts';
import type { Answer } from '../../../contract/rpc/rpc.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Addresses, FoundAddress } from '../../../core/directory/aliases/addresses.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import type { SendingRights, SendRefusal } from '../../../core/directory/aliases/may-send.ts';
import type { EmailIdentities } from '../../../core/directory/domains/email-identities.ts';
import { forwardingOnWire } from '../../../core/directory/forwarding/forwarding-on-wire.ts';
import type { Forwardings } from '../../../core/directory/forwarding/forwardings.ts';
import type { GroupAccount, GroupReceivers } from '../../../core/directory/groups/group-receivers.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { exceededResource, type AccountQuota } from '../../../core/mail/quota/account-quota.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { suppressionCause, type SuppressionRecord } from '../../../core/sending/feedback/suppression-rules.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';

type Dependencies = {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly groups: Pick<Groups, 'find'>;
  readonly groupReceivers: GroupReceivers;
  readonly addresses: Pick<Addresses, 'find'>;
  readonly forwardings: Pick<Forwardings, 'find'>;
  readonly aliases: Pick<Aliases, 'find'>;
  readonly identities: Pick<EmailIdentities, 'find'>;
  readonly rights: Pick<SendingRights, 'refusals'>;
  readonly mailStore: Pick<MailStore, 'quota'>;
  readonly suppressions: Pick<Suppressions, 'find'>;
  readonly clock: Clock;
};
type Found = Required<Answer<typeof contract.methods.FindAddress>>;

const kindOf = ({ stored, group, isCatchAll, receiver, isDomainHere }: FoundAddress, isPrimary: boolean | undefined, isSender: boolean): Found['kind'] => {
  if (isCatchAll) return 'CATCH_ALL';
  if (group) return 'GROUP';
  if (stored?.isRemoved) return 'REMOVED';
  if (stored) return isPrimary ? 'ACCOUNT' : 'ALIAS';
  if (receiver) return 'ROLE';
  if (isSender) return 'SENDER';
  return isDomainHere ? 'UNKNOWN' : 'OUTSIDE';
};

/** Predicts the outcome of a delivery. Mail waits for room when not even a message of one octet has room. */
const incomingOf = (
  { stored, group, isDomainHere, isDomainReceiving, receiver }: FoundAddress,
  quota: AccountQuota | undefined,
  receivers: Found['receivers'],
): Found['incoming'] => {
  if (group && isDomainReceiving) return receivers.length > 0 ? 'DELIVERED' : 'REFUSED_NO_MEMBERS';
  if (receiver) return quota && exceededResource(quota, 1) ? 'WAITS_FOR_ROOM' : 'DELIVERED';
  if (!isDomainHere) return 'NOT_HERE';
  if (!isDomainReceiving) return 'REFUSED_DOMAIN';
  if (!stored) return 'REFUSED_UNKNOWN';
  return stored.isRemoved ? 'REFUSED_REMOVED' : 'REFUSED_INACTIVE';
};

/** The fate of mail from an address, by the reason for which the account may not send from it. */
const outgoingOf = (
  { stored, isDomainSending }: FoundAddress,
  group: Pick<Group, 'members_may_send'> | undefined,
  refusal: SendRefusal | undefined,
  isSender: boolean,
): Found['outgoing'] => {
  if (group) return !group.members_may_send ? 'REFUSED_ADDRESS' : isDomainSending ? 'SENT' : 'REFUSED_DOMAIN';
  if (!stored) return isSender ? 'TEST_ONLY' : 'NOT_HERE';
  if (stored.isRemoved) return 'REFUSED_REMOVED';
  if (refusal === undefined) return 'SENT';
  if (refusal === 'inactive-address') return 'REFUSED_INACTIVE';
  return refusal === 'receive-only-domain' ? 'REFUSED_DOMAIN' : 'REFUSED_ADDRESS';
};

/** The message classes that are not sent to the address, each with the reason. */
const withheldBy = (suppression: SuppressionRecord, now: Date): Found['withheld'] =>
  keysOf(suppression.complaints).flatMap((messageClass) => {
    const cause = suppressionCause(suppression, messageClass, now);
    return cause ? [{ message_class: messageClass, ...cause }] : [];
  });

const byEmail = ({ email: one }: Pick<GroupAccount, 'email'>, { email: other }: Pick<GroupAccount, 'email'>): number => (one < other ? -1 : 1);

const receiversOf = async (groupId: string, receivers: GroupReceivers): Promise<Found['receivers']> => {
  const { accountIds, outside } = (await receivers.membersOf([groupId])).get(groupId)!;
  const accounts = (await receivers.accounts(accountIds)).map(({ accountId, name, email }) => ({ account_id: accountId, name, email }));
  return [...accounts, ...outside.map((email) => ({ email }))].toSorted(byEmail);
};

/**
 * Implements FindAddress. It asks the directory as a delivery does, in one read, and then the account, the alias, the
 * quota and the right to send together. The suppression and the sender address are read at the same time as the address.
 */
export const findAddress = (dependencies: Dependencies) =>
  adminMethod(contract.methods.FindAddress, {
    prefetch: async ({ address }) => {
      const { addresses, suppressions, identities } = dependencies;
      const [found, suppression, [identity]] = await Promise.all([addresses.find(address), suppressions.find(address), identities.find([address])]);
      return { found, suppression, isSender: identity !== undefined };
    },
    async run({ address }, _call, { found, suppression, isSender }) {
      const { stored, receiver, group } = found;
      const accountId = stored?.isRemoved ? undefined : (stored?.accountId ?? receiver?.accountId);
      const [account, alias, quota, [refusal] = [], forwarding] =
        accountId === undefined
          ? []
          : await Promise.all([
              dependencies.accounts.find(accountId),
              stored && dependencies.aliases.find(stored.aliasId),
              dependencies.mailStore.quota(accountId),
              stored ? dependencies.rights.refusals([{ accountId, email: address }]) : [],
              receiver && dependencies.forwardings.find(receiver.accountId),
            ]);
      const [storedGroup, receivers] = await Promise.all([
        group && dependencies.groups.find(group.groupId),
        group ? receiversOf(group.groupId, dependencies.groupReceivers) : [],
      ]);
      const now = dependencies.clock();
      return {
        address,
        kind: kindOf(found, alias?.is_primary, isSender),
        ...(stored ? { account } : { role_account: account }),
        account_id: stored?.accountId,
        alias,
        inactive_since: stored?.inactiveSince,
        group: storedGroup,
        receivers,
        forwarding: forwarding && forwardingOnWire(forwarding.account_id, forwarding),
        incoming: incomingOf(found, quota, receivers),
        outgoing: outgoingOf(found, found.isCatchAll ? undefined : storedGroup, refusal, isSender),
        withheld: suppression ? withheldBy(suppression, now) : [],
      };
    },
  });
