import type { SendLimits } from '../../contract/deployment/sending.ts';
import type { QuotaAmounts } from '../../contract/jmap/quota.ts';
import type { Item, Value } from '../storage/table.ts';
import { checkedAttributes, versionAttribute, type Attributes } from './item-version.ts';
import { headKey } from './keys.ts';
import type { SendCounts } from './head-send-counts.ts';

/**
 * By type name: the sequence number of the last commit that changed the type. A type without an entry never changed.
 */
export type States = { readonly [type: string]: number };

/** The time for which an account's VacationResponse is enabled, in milliseconds since 1970; null: without a limit. */
export type VacationWindow = { readonly from: number | null; readonly to: number | null };

/**
 * The state of an account after its newest commit. Every commit is conditional on the head, so all commits of an
 * account have one order.
 */
export type Head = {
  /** Sequence number of the newest commit; the account's creation is 1. */
  readonly sequence: number;
  readonly states: States;
  /**
   * The low-water mark: the log is complete from the commit after this one. /changes can't be calculated from an older
   * state.
   */
  readonly lowWater: number;
  /** Mailbox ids by role, so that a delivery finds its Mailbox without loading the account. */
  readonly roles: { readonly [role: string]: string };
  /** Octets of all raw messages. */
  readonly bytes: number;
  readonly messages: number;
  /** The account's own quota: hard limits that replace those of the deployment. */
  readonly quota?: Partial<QuotaAmounts>;
  /**
   * The window of the account's VacationResponse. A delivery without a response needs no further read. Null or absent
   * while the response is not enabled.
   */
  readonly vacation?: VacationWindow | null;
  /** Absent while the account has sent nothing. */
  readonly sends?: SendCounts;
  /** The account's own limits of sending, which replace those of the deployment. */
  readonly sendLimits?: Partial<SendLimits> | undefined;
  /** Octets of all log items that were ever written, as JSON. It measures how much log follows a snapshot. */
  readonly logBytes: number;
  /** The name of the newest snapshot (`snapshot-name.ts`). Absent: the account is loaded from its records. */
  readonly snapshot?: string;
  /** The name of the newest manifest of search segments (`search-manifest.ts`). Absent: no Email is in a segment. */
  readonly search?: string;
  /** Present when the indexer is asked to work on the search index (`search-due.ts`): the reason. */
  readonly searchDue?: string;
  /** Milliseconds since 1970: the last removal of references of destroyed Emails. Absent: there was none. */
  readonly referencesRemovedAt?: number;
  /** The number of removals of references. Absent: there was none that counted. */
  readonly referenceRemovals?: number;
  /**
   * The states at the low-water mark: a state of a type that is older, but equal to the type's state here, is as good
   * as the low-water mark itself. Absent when they are unknown.
   */
  readonly lowWaterStates?: States;
};

/** The head of an account before its first commit. */
export const emptyHead: Head = { sequence: 0, states: {}, lowWater: 0, roles: {}, bytes: 0, messages: 0, logBytes: 0 };

const headVersion = 5;

export const encodeHead = (accountId: string, head: Head): Item => ({
  ...headKey(accountId), lowWater: head.lowWater, ...headAttributes(head),
});

/**
 * The attributes of the head that a commit writes. It does not write those of reference removals, of the limits of
 * sending, and of the indexer (low-water mark, states, names of its files), so that a concurrent write of them is not
 * lost.
 */
export const headAttributes = ({ sequence, states, roles, bytes, messages, quota, vacation, sends, logBytes }: Head): Record<string, Value> => ({
  [versionAttribute]: headVersion, sequence, states, roles, bytes, messages, logBytes, ...(quota && { quota }),
  ...(vacation !== undefined && { vacation }), ...(sends && { sends }),
});

/** The part of a head that is the same until another commit is made, or references are removed. */
export type CommitBase = { readonly sequence: number; readonly referenceRemovals: number | undefined };

/** The condition under which a commit that was planned for this head replaces it. */
export const commitBase = ({ sequence, referenceRemovals }: Head): CommitBase => ({ sequence, referenceRemovals });

/** Whether a commit that was planned for the base is still right for the head. */
export const hasCommitBase = (head: Head, base: CommitBase | undefined): boolean =>
  head.sequence === base?.sequence && head.referenceRemovals === base.referenceRemovals;

/**
 * The attributes of the account's own limits of sending. Each one is written separately, so that concurrent writers do
 * not lose values.
 */
export const sendLimitAttributes = { perMinute: 'recipientsPerMinute', perDay: 'recipientsPerDay' } as const;

/** @returns undefined when the account has no limits of its own. */
const decodeSendLimits = (attributes: Attributes): Partial<SendLimits> | undefined => {
  const own = Object.entries(sendLimitAttributes).filter(([, attribute]) => attributes[attribute] !== undefined);
  return own.length === 0 ? undefined : Object.fromEntries(own.map(([limit, attribute]) => [limit, attributes[attribute]]));
};

/** @throws UnknownItemVersion when a newer release wrote the head. */
export const decodeHead = (item: Item): Head => {
  const attributes = checkedAttributes('account head', item, headVersion);
  return {
    sequence: attributes['sequence'] as number,
    states: attributes['states'] as States,
    lowWater: attributes['lowWater'] as number,
    roles: attributes['roles'] as Head['roles'],
    bytes: attributes['bytes'] as number,
    logBytes: attributes['logBytes'] as number,
    messages: attributes['messages'] as number,
    ...(attributes['quota'] !== undefined && { quota: attributes['quota'] as Head['quota'] }),
    ...(attributes['vacation'] !== undefined && { vacation: attributes['vacation'] as Head['vacation'] }),
    ...(attributes['sends'] !== undefined && { sends: attributes['sends'] as Head['sends'] }),
    sendLimits: decodeSendLimits(attributes),
    ...(attributes['snapshot'] !== undefined && { snapshot: attributes['snapshot'] as string }),
    ...(attributes['search'] !== undefined && { search: attributes['search'] as string }),
    ...(attributes['searchDue'] !== undefined && { searchDue: attributes['searchDue'] as string }),
    ...(attributes['referencesRemovedAt'] !== undefined && { referencesRemovedAt: attributes['referencesRemovedAt'] as number }),
    ...(attributes['referenceRemovals'] !== undefined && { referenceRemovals: attributes['referenceRemovals'] as number }),
    ...(attributes['lowWaterStates'] !== undefined && { lowWaterStates: attributes['lowWaterStates'] as States }),
  };
};
