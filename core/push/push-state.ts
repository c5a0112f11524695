import { createHash } from 'node:crypto';
import { pushLimits } from '../../contract/jmap/push.ts';

/** How far a client was told of each account, by account id: the sequence number of a commit. */
export type Told = ReadonlyMap<string, number>;

const version = '1';
const fingerprintLength = 8;
const part = /^([A-Za-z0-9_-]{8})([0-9a-z]{1,10})$/;

/** Enough to tell apart the accounts of one principal. */
const fingerprintOf = (accountId: string): string => createHash('sha256').update(accountId).digest('base64url').slice(0, fingerprintLength);

/** Where a client stands in the history of all its accounts, as one string (RFC 8887 §4.3.5.1 pushState; the event id of RFC 8620 §7.3). */
export const pushStateOf = (told: Told): string =>
  [version, ...[...told].map(([accountId, sequence]) => `${fingerprintOf(accountId)}${sequence.toString(36)}`).toSorted()].join('.');

/**
 * What a client was told of these accounts by its own word; an account that it does not speak of is left out.
 * @returns undefined for anything that was never a push state.
 */
export const toldBy = (pushState: string, accountIds: readonly string[]): Told | undefined => {
  if (pushState.length > pushLimits.maxSizePushState) return undefined;
  const [first, ...rest] = pushState.split('.');
  const parts = rest.map((each) => part.exec(each));
  if (first !== version || parts.includes(null)) return undefined;
  const sequences = new Map(parts.map((match) => [match![1]!, Number.parseInt(match![2]!, 36)]));
  return new Map(accountIds.flatMap((accountId) => {
    const sequence = sequences.get(fingerprintOf(accountId));
    return sequence === undefined ? [] : [[accountId, sequence] as const];
  }));
};
