import { remainingTime } from '../runtime/remaining-time.ts';
import { withinTime } from '../runtime/time-limit.ts';
import { parseLimits } from './parse-limits.ts';

/**
 * Reads foreign text, in the share of time that one message has: more than any needs, and little enough that the others of its
 * batch and the caller's own work keep most of what remains of the invocation.
 * @param octets the size of the text.
 * @throws TimeLimitExceeded, and what `read` throws.
 */
export const withinParseTime = <T>(octets: number, read: () => T): T => {
  const { milliseconds, millisecondsOfMegabyte, shareOfRemainingTime } = parseLimits;
  return withinTime(Math.min(milliseconds + (millisecondsOfMegabyte * octets) / 1e6, remainingTime(Infinity) * shareOfRemainingTime), read);
};
