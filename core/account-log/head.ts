import type { SendLimits } from '../../contract/deployment/sending.ts';
import type { QuotaAmounts } from '../../contract/jmap/quota.ts';
import type { Item, Table, Value } from '../storage/table.ts';
import type { SendCounts } from './head-send-counts.ts';
import { checkedRow, versionAttribute } from './item-version.ts';
import { accountOfHead, headKey } from './keys.ts';

/**
 * Sequence number of the last commit that changed the type, by type name. A type without an entry has never changed.
 */
export type States = { readonly [type: string]: number };

/** The time for which an account's VacationResponse is enabled, in milliseconds since 1970; null: no limit. */
export type VacationWindow = { readonly from: number | null; readonly to: number | null };

/** The state of an account after its newest commit. Every commit is conditional on the head. */
export type Head = {
  /** Sequence number of the newest commit; the account's creation is 1. */
  readonly sequence: number;
  readonly states: States;
  /** The low-water mark: the log is complete from the commit after this one. */
  readonly lowWater: number;
  /** Mailbox ids by role, so that a delivery finds its Mailbox without loading the account. */
  readonly roles: { readonly [role: string]: string };
  /** Octets of all raw messages. */
  readonly bytes: number;
  readonly messages: number;
  /** The account's own quota: hard limits that replace those of the deployment. */
  readonly quota?: Partial<QuotaAmounts>;
  /** The window of the account's VacationResponse. Null or absent while the response is not enabled. */
  readonly vacation?: VacationWindow | null;
  /** Absent while the account has sent nothing. */
  readonly sends?: SendCounts;
  /** The account's own limits of sending, which replace those of the deployment. */
  readonly sendLimits?: Partial<SendLimits> | undefined;
  /** False: the account keeps no recent contacts. Absent: it does. */
  readonly keepsRecentContacts?: false;
  /**
   * Octets of JSON of all log items ever written. The difference to a snapshot's value is the log that follows the
   * snapshot.
   */
  readonly logBytes: number;
  /** The name of the newest snapshot (`snapshot-name.ts`). Absent: the account is loaded from its records. */
  readonly snapshot?: string;
  /** The name of the newest manifest of search segments (`search-manifest.ts`). Absent: no Email is in a segment. */
  readonly search?: string;
  /** The reason why the indexer must update the search index (`search-due.ts`). Absent: no update is due. */
  readonly searchDue?: string;
  /** The number of removals of references. Absent: there was none. */
  readonly referencesRemovedAt?: number;
  /** The number of removals of references that changed the head. Absent: there was none. */
  readonly referenceRemovals?: number;
  /**
   * The states of types at the low-water mark. A state that is older than the mark, but equal to the type's state here,
   * can be used like the mark itself. Absent when the states are unknown.
   */
  readonly lowWaterStates?: States;
};

/** The head of an account before its first commit. */
export const emptyHead: Head = { sequence: 0, states: {}, lowWater: 0, roles: {}, bytes: 0, messages: 0, logBytes: 0 };

const headVersion = 5;

export const encodeHead = (accountId: string, head: Head): Item => ({ ...headKey(accountId), lowWater: head.lowWater, ...headAttributes(head) });

/**
 * The attributes of the head that a commit writes. Attributes of reference removals, of send limits, of recent
 * contacts and of the indexer (low-water mark, states, names of its files) are left out, so that a concurrent write of them is not lost.
 */
export const headAttributes = ({ sequence, states, roles, bytes, messages, quota, vacation, sends, logBytes }: Head): Record<string, Value> => ({
  [versionAttribute]: headVersion,
  sequence,
  states,
  roles,
  bytes,
  messages,
  logBytes,
  ...(quota && { quota }),
  ...(vacation !== undefined && { vacation }),
  ...(sends && { sends }),
});

/** The attributes of a head that change only when a commit is made or references are removed. */
export type CommitBase = { readonly sequence: number; readonly referenceRemovals: number | undefined };

/** The attributes of this head that a commit requires to be unchanged. */
export const commitBase = ({ sequence, referenceRemovals }: Head): CommitBase => ({ sequence, referenceRemovals });

/** Whether a commit that was planned for the base can replace this head. */
export const hasCommitBase = (head: Head, base: CommitBase | undefined): boolean =>
  head.sequence === base?.sequence && head.referenceRemovals === base.referenceRemovals;

/**
 * The attributes of the account's own send limits. Each is written separately, so that concurrent writers lose no
 * value.
 */
export const sendLimitAttributes = { perMinute: 'recipientsPerMinute', perDay: 'recipientsPerDay' } as const;

type SendLimitAttributes = { readonly [Attribute in (typeof sendLimitAttributes)[keyof typeof sendLimitAttributes]]?: number };

/** The attributes of a head. */
type HeadRow = Omit<Head, 'sendLimits' | 'keepsRecentContacts'> & SendLimitAttributes & { readonly keepsRecentContacts?: boolean };

/** Decodes the send limits. @returns undefined when the account has no limits of its own. */
const decodeSendLimits = (attributes: SendLimitAttributes): Partial<SendLimits> | undefined => {
  const own = Object.entries(sendLimitAttributes).filter(([, attribute]) => attributes[attribute] !== undefined);
  return own.length === 0 ? undefined : Object.fromEntries(own.map(([limit, attribute]) => [limit, attributes[attribute]]));
};

/** @throws UnknownItemVersion when a newer release wrote the head. */
export const decodeHead = (item: Item): Head => {
  const row = checkedRow<HeadRow>('account head', item, headVersion);
  const { sequence, states, lowWater, roles, bytes, logBytes, messages, quota, vacation, sends, keepsRecentContacts } = row;
  const { snapshot, search, searchDue, referencesRemovedAt, referenceRemovals, lowWaterStates } = row;
  return {
    sequence,
    states,
    lowWater,
    roles,
    bytes,
    logBytes,
    messages,
    ...(quota !== undefined && { quota }),
    ...(vacation !== undefined && { vacation }),
    ...(sends !== undefined && { sends }),
    sendLimits: decodeSendLimits(row),
    ...(keepsRecentContacts === false && { keepsRecentContacts }),
    ...(snapshot !== undefined && { snapshot }),
    ...(search !== undefined && { search }),
    ...(searchDue !== undefined && { searchDue }),
    ...(referencesRemovedAt !== undefined && { referencesRemovedAt }),
    ...(referenceRemovals !== undefined && { referenceRemovals }),
    ...(lowWaterStates !== undefined && { lowWaterStates }),
  };
};

/** Reads the heads of accounts, by account id. Accounts without a head are left out. */
export const readHeads = async (table: Pick<Table, 'batchGet'>, accountIds: readonly string[]): Promise<ReadonlyMap<string, Head>> => {
  const heads = await table.batchGet(accountIds.map(headKey));
  return new Map(heads.map((item) => [accountOfHead(item)!, decodeHead(item)]));
};
