import { createHash } from 'node:crypto';
import { pushLimits } from '../../../contract/jmap/push.ts';
import type { NotifiedUpTo } from './listener-record.ts';

const version = '1';
const fingerprintLength = 8;
const entryPattern = /^([A-Za-z0-9_-]{8})([0-9a-z]{1,10})$/;

/** A short hash that distinguishes the accounts of one principal. */
const fingerprintOf = (accountId: string): string => createHash('sha256').update(accountId).digest('base64url').slice(0, fingerprintLength);

/**
 * The client's positions in all its accounts as one string: the pushState of RFC 8887 §4.3.5.1 and the event id of RFC
 * 8620 §7.3. It consists of `1` and an entry for each account, separated by dots: 8 characters of a hash of the account
 * id, then the sequence number in base 36.
 */
export const encodePushState = (notifiedUpTo: NotifiedUpTo): string => {
  const entries = [...notifiedUpTo].map(([accountId, sequence]) => `${fingerprintOf(accountId)}${sequence.toString(36)}`);
  return [version, ...entries.toSorted()].join('.');
};

/**
 * The client's positions in these accounts, decoded from its push state. Accounts that the push state does not name
 * have no entry.
 * @returns undefined when the client sent no push state, or an invalid one.
 */
export const decodePushState = (pushState: string | null | undefined, accountIds: readonly string[]): NotifiedUpTo | undefined => {
  if (typeof pushState !== 'string' || pushState.length > pushLimits.maxSizePushState) return undefined;
  const [first, ...rest] = pushState.split('.');
  const entries = rest.map((entry) => entryPattern.exec(entry));
  if (first !== version || entries.includes(null)) return undefined;
  const sequences = new Map(entries.map((match) => [match![1]!, Number.parseInt(match![2]!, 36)]));
  return new Map(
    accountIds.flatMap((accountId) => {
      const sequence = sequences.get(fingerprintOf(accountId));
      return sequence === undefined ? [] : [[accountId, sequence] as const];
    }),
  );
};
