import type { SendLimits } from '../../contract/deployment/sending.ts';
import { countRecipients, type SendCounts } from '../account-log/head-send-counts.ts';
import type { Write } from '../storage/table.ts';
import { sentForReceivedKey } from './responded-senders.ts';

/** Seconds for which a count is kept after the end of its period. */
const keptSeconds = 86_400;

const lengths = { minute: 60_000, day: 86_400_000 } as const;

/**
 * Counts recipients to whom an account forwards a message. Its own sending and its forwarding share the limits: the writes
 * are refused when there is no room for them, so that forwarding never keeps the account from sending.
 * @param sends what the account itself has sent.
 * @returns undefined when there is certainly no room.
 */
export const countForwarded = (accountId: string, recipients: number, limits: SendLimits, sends: SendCounts | undefined, now: Date): Write[] | undefined => {
  const own = countRecipients(sends, 0, now.getTime());
  const periods = [
    { name: 'minute', left: limits.perMinute - own.minute.recipients, period: own.minute.period },
    { name: 'day', left: limits.perDay - own.day.recipients, period: own.day.period },
  ] as const;
  if (periods.some(({ left }) => left < recipients)) return undefined;
  return periods.map(({ name, left, period }) => ({
    update: sentForReceivedKey(accountId, `forwarded-${name}#${period}`),
    add: { recipients },
    set: { expiresAt: ((period + 1) * lengths[name]) / 1000 + keptSeconds },
    if: [{ lacks: 'recipients' }, { below: { recipients: left - recipients + 1 } }],
  }));
};
