import type { SendLimits } from '../../../contract/deployment/sending.ts';
import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import type { Permission } from '../../../contract/oauth/oauth.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import type { MemberKey } from '../../../core/account-log/records/stored-type.ts';
import type { AccountBlobs } from '../../../core/blobs/account-blobs.ts';
import type { CardMedia } from '../../../core/blobs/card-media.ts';
import type { MessageStore } from '../../../core/blobs/message-store.ts';
import { UploadRoom, type UploadedOctets } from '../../../core/blobs/uploaded-octets.ts';
import { storedAddressesIn } from '../../../core/directory/aliases/addresses.ts';
import type { SendingRights } from '../../../core/directory/aliases/may-send.ts';
import { findForwardTargets } from '../../../core/directory/forwarding/forward-targets.ts';
import { forwardingsIn, type Forwardings, type ForwardTarget } from '../../../core/directory/forwarding/forwardings.ts';
import { mayWrite } from '../../../core/directory/users/principals.ts';
import type { UnparsedMessageDependencies } from '../../../core/mail/delivery/unparsed-messages.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { currentSequences, findAccountStates } from '../../../core/push/listeners/account-states.ts';
import type { NotifiedUpTo } from '../../../core/push/listeners/listener-record.ts';
import type { AddressRule } from '../../../core/push/web-push/public-address.ts';
import { pushSubscriptionsIn, type PushSubscriptions } from '../../../core/push/web-push/push-subscriptions.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { EmailSearch } from '../../../core/search/email-search.ts';
import type { Submissions } from '../../../core/sending/submission/submissions.ts';
import type { SubmitQueue } from '../../../core/sending/submission/submit-queue.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Table } from '../../../core/storage/table.ts';
import type { ResponseRoom } from './api-response.ts';
import type { Caller } from './caller.ts';
import { MethodError } from './jmap-errors.ts';
import type { OpeningViews, ReadingUses } from './opening-accounts.ts';

/** The dependencies of PushSubscription methods. */
type WebPushDependencies = {
  readonly subscriptions: PushSubscriptions;
  /** Reads the sequence number of the newest commit of each account. */
  currentSequences(accountIds: readonly string[]): Promise<NotifiedUpTo>;
  /** The queue of the push-delivery Lambda. */
  readonly queue: Queue;
  readonly isAllowedAddress: AddressRule;
  readonly clock: Clock;
};

export const webPushDependencies = (mailTable: Table, rest: Pick<WebPushDependencies, 'queue' | 'isAllowedAddress' | 'clock'>): WebPushDependencies => ({
  ...rest,
  subscriptions: pushSubscriptionsIn(mailTable),
  currentSequences: async (accountIds) => currentSequences(await findAccountStates(mailTable, accountIds)),
});

/** The dependencies of the methods of EmailSubmission, besides the mail store. */
type SendingDependencies = {
  readonly submissions: Pick<Submissions, 'createWrites' | 'write' | 'index' | 'cancelWrites' | 'findAll'>;
  readonly rights: Pick<SendingRights, 'refusals'>;
  /** The bucket of the messages that are sent. */
  readonly objects: Pick<Objects, 'put' | 'remove'>;
  readonly queue: SubmitQueue;
  /** The send limits of accounts without their own limits. */
  readonly sendLimits: SendLimits;
  readonly log: Log;
};

/** The dependencies of the methods of Forwarding. */
type ForwardingDependencies = {
  readonly forwardings: Pick<Forwardings, 'find' | 'put'>;
  readonly findTargets: (accountId: string, emails: readonly string[]) => Promise<readonly ForwardTarget[]>;
  /** The inbound queue. */
  readonly queue: Queue;
};

export const forwardingDependencies = (
  directory: Table,
  { queue, mayForwardOutside }: { readonly queue: Queue; readonly mayForwardOutside: boolean },
): ForwardingDependencies => {
  const settings = { addresses: storedAddressesIn(directory), mayForwardOutside };
  return { queue, forwardings: forwardingsIn(directory), findTargets: (accountId, emails) => findForwardTargets(directory, accountId, emails, settings) };
};

/** The dependencies of methods. `index.ts` creates them once. */
export type MethodDependencies = {
  readonly store: MailStore;
  readonly objects: Pick<Objects, 'get' | 'put' | 'copy'>;
  readonly search: EmailSearch;
  readonly blobs: AccountBlobs;
  readonly uploadedOctets: UploadedOctets;
  readonly unparsedMessages: UnparsedMessageDependencies;
  /** Stores the raw messages of new Emails. */
  readonly messages: MessageStore;
  readonly cardMedia: CardMedia;
  readonly webPush: WebPushDependencies;
  readonly sending: SendingDependencies;
  readonly forwarding: ForwardingDependencies;
  /** The quotas of accounts without their own quota. */
  readonly quotaDefaults: QuotaAmounts;
  readonly clock: Clock;
  /** The domain in the Message-IDs of new messages. */
  readonly mailDomain: string;
  /** Returns the Id of a new record. */
  readonly newId: () => string;
};

/** An account during a request. A commit replaces `view`, so that later calls of the request see its changes. */
export type OpenAccount = {
  readonly accountId: string;
  readonly mayWrite: boolean;
  /** The caller, identified as a member of the account. */
  readonly member: MemberKey;
  view: AccountView;
};

/** The context that the method calls of a request share. */
export type RequestContext = {
  readonly caller: Caller;
  readonly dependencies: MethodDependencies;
  /** The capabilities that the request uses (RFC 8620 §3.3). */
  readonly using: ReadonlySet<string>;
  /**
   * Record ids by creation id: those in the request's `createdIds`, and those of records that the request has created
   * (RFC 8620 §3.3).
   */
  readonly createdIds: Map<string, string>;
  readonly budget: RequestBudget;
  /**
   * Calls that the server makes after the response of the current one, under its method call id, such as the Email/set
   * after an Email/copy (RFC 8620 §5.4). They are dropped when the current call fails.
   */
  readonly implicitCalls: { readonly name: string; readonly args: JsonObject }[];
  /** The remaining size of the response. A method checks it before it builds a response that might not fit. */
  readonly responseRoom: ResponseRoom;
  /** @throws MethodError forbidden when the token lacks the permission. */
  requirePermission(permission: Permission): void;
  /** @throws MethodError accountNotFound when the account does not exist, or the caller is not a member. */
  openAccount(accountId: string): Promise<OpenAccount>;
  /** The room for uploads to an account that all calls of the request share. */
  uploadRoom(accountId: string): Promise<UploadRoom>;
};

export const requestContext = (
  caller: Caller,
  dependencies: MethodDependencies,
  { views, uses }: { readonly views: OpeningViews; readonly uses: ReadingUses },
  responseRoom: ResponseRoom,
  createdIds: Map<string, string>,
  using: ReadonlySet<string>,
): RequestContext => {
  const opened = new Map<string, OpenAccount>();
  const rooms = new Map<string, UploadRoom>();
  return {
    caller,
    dependencies,
    createdIds,
    using,
    budget: requestBudget(),
    implicitCalls: [],
    responseRoom,
    requirePermission(permission) {
      if (!caller.permits(permission)) throw new MethodError('forbidden', `The access token does not have the permission ${permission}.`);
    },
    async openAccount(accountId) {
      const alreadyOpened = opened.get(accountId);
      if (alreadyOpened) return alreadyOpened;
      const membership = caller.memberships.find((candidate) => candidate.accountId === accountId);
      const view = membership && (await (views.get(accountId) ?? dependencies.store.open(accountId)));
      if (!view) throw new MethodError('accountNotFound', 'The account does not exist, or you are not a member of it.');
      const member = membership.isOwner ? null : caller.principalId;
      const account = { accountId, mayWrite: mayWrite(membership.role), member, view };
      opened.set(accountId, account);
      return account;
    },
    async uploadRoom(accountId) {
      const use = await (uses.get(accountId) ?? dependencies.uploadedOctets.read(accountId));
      const room = rooms.get(accountId) ?? new UploadRoom(use, (octets) => dependencies.uploadedOctets.add(accountId, octets, use.limit));
      rooms.set(accountId, room);
      return room;
    },
  };
};

/** Limits that apply to all calls of a request together. */
type SharedLimit =
  | 'maxSizeReferences'
  | 'maxFilterNodesInRequest'
  | 'maxSearchTermsInRequest'
  | 'maxSearchOctetsInRequest'
  | 'maxUnindexedEmailsInRequest'
  | 'maxEmailContentsInRequest'
  | 'maxRawMessagesInRequest'
  | 'maxRawOctetsInRequest'
  | 'maxBlobsInRequest'
  | 'maxBlobOctetsInRequest'
  | 'maxComposedOctetsInRequest';

/**
 * The amounts that the calls of a request have used of the shared limits. Shared limits are needed because references
 * can repeat a large argument in each call.
 */
export type RequestBudget = {
  /** Counts an amount. @returns whether the request is still within the limit. */
  spend(limit: SharedLimit, amount: number): boolean;
  /** The remainder; negative when the request has exceeded the limit. */
  remaining(limit: SharedLimit): number;
};

export const requestBudget = (): RequestBudget => {
  const used = new Map<SharedLimit, number>();
  const remaining = (limit: SharedLimit) => unadvertisedLimits[limit] - (used.get(limit) ?? 0);
  return {
    remaining,
    spend(limit, amount) {
      used.set(limit, (used.get(limit) ?? 0) + amount);
      return remaining(limit) >= 0;
    },
  };
};
