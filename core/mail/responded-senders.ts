import { createHash } from 'node:crypto';
import { mailKeys } from '../../contract/deployment/keys.ts';
import { vacationMessageRules } from '../../contract/jmap/vacation-response.ts';
import { comparableAddress } from '../../contract/values/mail-address.ts';
import { secondsNow } from '../runtime/clock.ts';
import { contentOf, type Key, type Write } from '../storage/table.ts';
import type { VacationResponseRecord } from './vacation-response-type.ts';

/** A sender that got a response. It is stored for the response interval. The sort key is a digest of the address. */
type RespondedSender = {
  /** SES's id of the message that was responded to. */
  readonly messageId: string;
  /** A digest of the response. A response with other content is another response (RFC 5230 §4.2). */
  readonly content: string;
  /** The end of the interval, in seconds since 1970. DynamoDB deletes the item later. */
  readonly expiresAt: number;
};

/** Minimum milliseconds between two responses to one sender. */
export const responseInterval = vacationMessageRules.intervalDays * 86_400_000;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 32);

/** The address without the tags that some senders change each day (BATV: `prvs=1234abcdef=ann@example.net`). */
const withoutTag = (address: string): string => comparableAddress(address).replace(/^(?:prvs|btv1)=+[^=@]+=+(?=[^=@]+@)/, '');

/** The key of an item that records the response to a received message. */
export const sentForReceivedKey = mailKeys.respondedSender;

export const respondedSenderKey = (accountId: string, sender: string): Key => sentForReceivedKey(accountId, digest(withoutTag(sender)));

export const respondedSenderOf = contentOf<RespondedSender>;

/** The digest of a VacationResponse's text, without its dates. */
export const responseContent = ({ subject, textBody, htmlBody }: VacationResponseRecord): string => digest(JSON.stringify([subject, textBody, htmlBody]));

/** Whether the sender had this response within the interval, or a response to this message. */
export const hadResponse = (known: RespondedSender | undefined, messageId: string, content: string, now: Date): boolean =>
  known !== undefined && (known.messageId === messageId || (known.content === content && known.expiresAt > now.getTime() / 1000));

/** Stores the response, unless the stored sender has changed since `known` was read. */
export const rememberResponse = (key: Key, known: RespondedSender | undefined, response: Pick<RespondedSender, 'messageId' | 'content'>, now: Date): Write => ({
  put: { ...key, ...response, expiresAt: secondsNow(() => now) + responseInterval / 1000 },
  // DynamoDB may have deleted the item meanwhile.
  if: [{ absent: true }, ...(known ? [{ equals: { messageId: known.messageId, content: known.content, expiresAt: known.expiresAt } }] : [])],
});

const day = 86_400_000;

/** Counts a response of the account. The write is refused when there were too many responses on this day. */
export const countResponse = (accountId: string, now: Date): Write => {
  const period = Math.floor(now.getTime() / day);
  return {
    update: sentForReceivedKey(accountId, `day#${period}`),
    add: { responses: 1 },
    set: { expiresAt: ((period + 2) * day) / 1000 },
    if: [{ lacks: 'responses' }, { below: { responses: vacationMessageRules.maxResponsesPerDay } }],
  };
};
