import { maxSessionSeconds, allSessionsDenied, type SessionsPolicy, type SessionsStatement } from '../../../contract/deployment/support-roles.ts';
import type { TierAccess } from '../../../core/directory/support-cases.ts';

const second = 1000;

/**
 * Milliseconds for which a past end stays in the policy: the maximum length of a session, plus 5 minutes for differing
 * clocks.
 */
const endRetention = (maxSessionSeconds + 300) * second;

/** Maximum future ends with a separate statement, so that the statements fit into an inline policy. */
export const maxFutureEnds = 40;

/** The time rounded down to whole seconds, the unit of IAM. */
const toSecond = (time: number): number => Math.floor(time / second) * second;
const formatTime = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

/**
 * The statement that, from `from` on, denies everything to sessions issued until the end of the second `lastIssued`.
 * AWS states the time of issue in whole seconds, so all sessions issued in the second of an end are denied.
 */
const endStatement = (from: number, lastIssued = from): SessionsStatement => ({
  Effect: 'Deny',
  Action: '*',
  Resource: '*',
  Condition: { DateLessThan: { 'aws:TokenIssueTime': formatTime(lastIssued + second) }, DateGreaterThanEquals: { 'aws:CurrentTime': formatTime(from) } },
});

/**
 * The policy that ends sessions of a role. While no case grants access, it denies all sessions. Otherwise, for each
 * time at which a case loses access, it denies the sessions that were issued before. A session does not name its case,
 * so sessions of other cases end too, and their holders must assume the role again. The latest past end includes the
 * earlier ones. When there are more than {@link maxFutureEnds} future ends, the last ones share one statement, which
 * ends more sessions than necessary: it takes effect at the first of these ends, for sessions that are issued until the
 * last.
 */
export const endedSessionsPolicy = ({ open, ended }: TierAccess, now: Date): SessionsPolicy => {
  const ends = [...open.map(({ active_until: until }) => until), ...(ended === undefined ? [] : [ended])].map((end) => toSecond(Date.parse(end)));
  const latestPast = Math.max(...ends.filter((end) => end <= now.getTime() && end > now.getTime() - endRetention));
  const future = [...new Set(ends.filter((end) => end > now.getTime()))].sort((a, b) => a - b);
  if (future.length === 0) return allSessionsDenied;
  const [separate, merged] = future.length > maxFutureEnds ? [future.slice(0, maxFutureEnds - 1), future.slice(maxFutureEnds - 1)] : [future, []];
  return {
    Version: '2012-10-17',
    Statement: [
      ...(Number.isFinite(latestPast) ? [endStatement(latestPast)] : []),
      ...separate.map((end) => endStatement(end)),
      ...(merged.length > 0 ? [endStatement(merged[0]!, merged.at(-1))] : []),
    ],
  };
};
