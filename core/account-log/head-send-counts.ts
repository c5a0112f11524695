import type { SendLimits } from '../../contract/deployment/sending.ts';

/** Recipients in one period: a minute or a day in UTC, numbered from 1970. */
type PeriodCount = { readonly period: number; readonly recipients: number };

/** Recipients to whom an account has sent, in the last minute and on the last day in which it sent mail. */
export type SendCounts = { readonly minute: PeriodCount; readonly day: PeriodCount };

const [minute, day] = [60_000, 24 * 3_600_000];

const countIn = (known: PeriodCount | undefined, length: number, time: number): PeriodCount => {
  const period = Math.floor(time / length);
  return known?.period === period ? known : { period, recipients: 0 };
};

const counted = ({ period, recipients }: PeriodCount, more: number): PeriodCount => ({ period, recipients: recipients + more });

/** The counts after a message to a number of recipients. @param time milliseconds since 1970. */
export const countRecipients = (counts: SendCounts | undefined, recipients: number, time: number): SendCounts => ({
  minute: counted(countIn(counts?.minute, minute, time), recipients),
  day: counted(countIn(counts?.day, day, time), recipients),
});

/** A limit that would be exceeded, and the end of its period, in milliseconds since 1970. */
type ExceededSendLimit = { readonly limit: keyof SendLimits; readonly recipients: number; readonly endsAt: number };

/**
 * The limit that would be exceeded by this many additional recipients.
 * @returns undefined when no limit is exceeded.
 */
export const exceededSendLimit = (counts: SendCounts | undefined, recipients: number, limits: SendLimits, time: number): ExceededSendLimit | undefined => {
  const next = countRecipients(counts, recipients, time);
  if (next.day.recipients > limits.perDay) {
    return { limit: 'perDay', recipients: limits.perDay, endsAt: (next.day.period + 1) * day };
  }
  if (next.minute.recipients > limits.perMinute) {
    return { limit: 'perMinute', recipients: limits.perMinute, endsAt: (next.minute.period + 1) * minute };
  }
  return undefined;
};
