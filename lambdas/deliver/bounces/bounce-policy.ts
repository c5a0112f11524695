import { comparableAddress, domainOf } from '../../../contract/values/mail-address.ts';
import { parseHeaderFields, type HeaderField } from '../../../core/mime/header-fields.ts';
import { asAddresses, asText } from '../../../core/mime/header-forms.ts';
import { parseLimits } from '../../../core/mime/parse-limits.ts';
import type { StoredObject } from '../../../core/storage/objects.ts';
import type { Undeliverable } from '../received/received-record.ts';
import type { ReceivedMail } from '../received/ses-notification.ts';

/** The reason why a message is not bounced: the bounce could reach an uninvolved person (backscatter) or a program. */
export type BounceObstacle = 'no recipient' | 'null sender' | 'spam or virus' | 'unauthenticated sender' | 'automatic message' | 'unreadable header';

const isBelow = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/**
 * Whether two domains are aligned (relaxed alignment, RFC 7489 §3.1): both have at least two labels, and they are equal
 * or one is below the other.
 */
const areAligned = (one: string, other: string): boolean => one.includes('.') && other.includes('.') && (isBelow(one, other) || isBelow(other, one));

/** The address of the only author. Undefined when there is no author, or several. */
export const authorOf = (fields: readonly HeaderField[]): string | undefined => {
  const authors = fields.filter(({ name }) => name.toLowerCase() === 'from').flatMap(asAddresses);
  return authors.length === 1 && authors[0]!.email.includes('@') ? authors[0]!.email : undefined;
};

/**
 * Whether the envelope sender has certainly sent the message. A bounce is sent to that sender, so DMARC is not
 * sufficient: a DKIM signature of the author's domain proves nothing about the envelope. Therefore SPF must also pass
 * for the envelope, or the author and the envelope sender must have the same domain.
 */
export const isSenderAuthenticated = ({ sender, verdicts: { spf, dmarc } }: ReceivedMail, fields: readonly HeaderField[]): boolean => {
  const author = authorOf(fields);
  const isAligned = author !== undefined && areAligned(domainOf(comparableAddress(author)), domainOf(comparableAddress(sender)));
  if (dmarc === 'PASS') return spf === 'PASS' || isAligned;
  return dmarc !== 'FAIL' && spf === 'PASS' && isAligned;
};

/** Whether the only author has certainly sent the message: by DMARC, or by SPF for the author's domain. */
export const isAuthorProven = ({ sender, verdicts: { spf, dmarc } }: ReceivedMail, fields: readonly HeaderField[]): boolean => {
  const author = authorOf(fields);
  if (author === undefined || dmarc === 'FAIL') return false;
  return dmarc === 'PASS' || (spf === 'PASS' && areAligned(domainOf(comparableAddress(author)), domainOf(comparableAddress(sender))));
};

const bulkPrecedence = /^(bulk|list|junk|auto[-_ ]?reply)\b/i;
const reportType = /^(multipart\/report|message\/(delivery-status|disposition-notification|feedback-report))\b/i;

/** Whether a program sent the message (RFC 3834 §2): an automatic reply, a report, or mail of a list. */
export const isAutomatic = (fields: readonly HeaderField[]): boolean =>
  fields.some((field) => {
    const name = field.name.toLowerCase();
    const value = asText(field).trim();
    return (
      (name === 'auto-submitted' && !/^no\b/i.test(value)) ||
      name.startsWith('list-') ||
      (name === 'precedence' && bulkPrecedence.test(value)) ||
      (name === 'content-type' && reportType.test(value))
    );
  });

/** Whether a program answered a message (RFC 3834 §5): a vacation response, a report. Mail of lists and notices are none. */
export const isAutomaticAnswer = (fields: readonly HeaderField[]): boolean =>
  fields.some((field) => {
    const name = field.name.toLowerCase();
    const value = asText(field).trim();
    return (
      (name === 'auto-submitted' && /^auto-replied\b/i.test(value)) ||
      (name === 'precedence' && /^auto[-_ ]?reply\b/i.test(value)) ||
      (name === 'content-type' && reportType.test(value))
    );
  });

/** Whether SES found spam or a virus, or did not finish the scan. */
export const isSpamOrVirus = ({ spam, virus }: ReceivedMail['verdicts']): boolean => spam !== 'PASS' || virus !== 'PASS';

/** Whether the envelope sender is not an address to which a response could be sent. */
export const isNullSender = (sender: string): boolean => !/^[^@].*@[^@]+$/.test(sender);

/** The header of a message. Undefined if its end is not within the octets, or if it has more fields than are parsed. */
export const headerFieldsOf = ({ bytes: beginning, size }: StoredObject): readonly HeaderField[] | undefined => {
  const isWhole = size <= beginning.length;
  const blank = /\r?\n\r?\n/.exec(beginning.toString('latin1'));
  if (!blank && !isWhole) return undefined;
  const fields = parseHeaderFields(blank ? beginning.subarray(0, blank.index) : beginning);
  return fields.length < parseLimits.headerFields ? fields : undefined;
};

/** The reason why the message is not bounced. Undefined if it may be bounced. @param beginning the beginning with the header. */
export const bounceObstacle = (mail: ReceivedMail, beginning: StoredObject): BounceObstacle | undefined => {
  if (mail.recipients.length === 0) return 'no recipient';
  if (isNullSender(mail.sender) || /^mailer-daemon@/i.test(mail.sender)) return 'null sender';
  if (isSpamOrVirus(mail.verdicts)) return 'spam or virus';
  const fields = headerFieldsOf(beginning);
  if (!fields) return 'unreadable header';
  if (!isSenderAuthenticated(mail, fields)) return 'unauthenticated sender';
  return isAutomatic(fields) ? 'automatic message' : undefined;
};

/** The outcome for recipients that no account receives. */
export const undeliverableOf = (obstacle: BounceObstacle | undefined): Undeliverable =>
  obstacle === undefined ? { bounce: 'unknown' } : { dropped: obstacle };
