import { maxSession, noSessionGoesOn, type SessionsPolicy, type SessionsStatement } from '../../../contract/support-sessions.ts';
import type { TierAccess } from '../../../core/directory/support-cases.ts';

const second = 1000;

/** Milliseconds for which an end is kept: until no session of before it can be alive, by whosever clock. */
const kept = (maxSession + 300) * second;

/** Ends to come that have a statement each. Fewer than IAM has room for, more than a trust policy has room for cases. */
export const mostEnds = 40;

/** The beginning of the second, which is what IAM counts in. */
const inSeconds = (time: number): number => Math.floor(time / second) * second;
const stamp = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

/**
 * From `from` on, no session that was issued until the end of the second `last` may do anything. A session says the second in which it was issued, so one
 * that was begun in the very second of an end is denied too, whether before or after.
 */
const ending = (from: number, last = from): SessionsStatement => ({
  Effect: 'Deny',
  Action: '*',
  Resource: '*',
  Condition: { DateLessThan: { 'aws:TokenIssueTime': stamp(last + second) }, DateGreaterThanEquals: { 'aws:CurrentTime': stamp(from) } },
});

/**
 * Which sessions of a role have ended, and which will: all of them while no case gives access by it, else for each moment at which a case loses it those that
 * were issued before. Nobody can tell by a session for which case it was begun, so a session of another case ends too, and its holder assumes the role again.
 *
 * The latest of the ends that are past says what all of them say. Of more than {@link mostEnds} ends to come, the last ones are one statement, which ends
 * too much rather than too little: from the first of them on, also what is issued until the last.
 */
export const endedSessions = ({ open, ended }: TierAccess, now: Date): SessionsPolicy => {
  const ends = [...open.map(({ active_until: until }) => until), ...(ended === undefined ? [] : [ended])].map((end) => inSeconds(Date.parse(end)));
  const past = Math.max(...ends.filter((end) => end <= now.getTime() && end > now.getTime() - kept));
  const coming = [...new Set(ends.filter((end) => end > now.getTime()))].sort((a, b) => a - b);
  if (coming.length === 0) return noSessionGoesOn;
  const [alone, together] = coming.length > mostEnds ? [coming.slice(0, mostEnds - 1), coming.slice(mostEnds - 1)] : [coming, []];
  return {
    Version: '2012-10-17',
    Statement: [
      ...(Number.isFinite(past) ? [ending(past)] : []),
      ...alone.map((end) => ending(end)),
      ...(together.length > 0 ? [ending(together[0]!, together.at(-1))] : []),
    ],
  };
};
