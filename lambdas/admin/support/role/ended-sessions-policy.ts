import { maxSessionSeconds, allSessionsDenied, type SessionsPolicy, type SessionsStatement } from '../../../../contract/deployment/support-roles.ts';
import type { TierAccess } from '../../../../core/directory/operations/support-cases.ts';

const second = 1000;

/** Milliseconds for which a past end stays in the policy: the longest session, and 5 minutes for differing clocks. */
const endRetention = (maxSessionSeconds + 300) * second;

/**
 * Future ends that have a statement each. Fewer than fit into an inline policy, more than the cases that fit into a
 * trust policy.
 */
export const maxFutureEnds = 40;

/** The start of the second, which is IAM's unit. */
const toSecond = (time: number): number => Math.floor(time / second) * second;
const formatTime = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

/**
 * From `from` on, denies everything to sessions that were issued until the end of the second `lastIssued`. A session
 * carries the second in which it was issued, so a session of the very second of an end is denied too, whether it was
 * issued before or after.
 */
const endStatement = (from: number, lastIssued = from): SessionsStatement => ({
  Effect: 'Deny',
  Action: '*',
  Resource: '*',
  Condition: {
    DateLessThan: { 'aws:TokenIssueTime': formatTime(lastIssued + second) }, DateGreaterThanEquals: { 'aws:CurrentTime': formatTime(from) },
  },
});

/**
 * The policy that ends sessions of a role. While no case grants access, it denies all sessions. Otherwise, for each
 * time at which a case loses access, it denies the sessions that were issued before. A session does not show its case,
 * so sessions of other cases end too; their holders assume the role again.
 *
 * Of the past ends, the latest one includes the others. Of more than {@link maxFutureEnds} future ends, the last ones
 * share one statement, which ends too much rather than too little: it takes effect at the first of them, for sessions
 * that are issued until the last.
 */
export const endedSessionsPolicy = ({ open, ended }: TierAccess, now: Date): SessionsPolicy => {
  const ends = [...open.map(({ active_until: until }) => until), ...(ended === undefined ? [] : [ended])].map(
    (end) => toSecond(Date.parse(end)),
  );
  const latestPast = Math.max(...ends.filter((end) => end <= now.getTime() && end > now.getTime() - endRetention));
  const future = [...new Set(ends.filter((end) => end > now.getTime()))].sort((a, b) => a - b);
  if (future.length === 0) return allSessionsDenied;
  const [separate, merged] = future.length > maxFutureEnds
    ? [future.slice(0, maxFutureEnds - 1), future.slice(maxFutureEnds - 1)]
    : [future, []];
  return {
    Version: '2012-10-17',
    Statement: [
      ...(Number.isFinite(latestPast) ? [endStatement(latestPast)] : []),
      ...separate.map((end) => endStatement(end)),
      ...(merged.length > 0 ? [endStatement(merged[0]!, merged.at(-1))] : []),
    ],
  };
};
