import { comparableAddress, localPartOf } from '../../../contract/values/mail-address.ts';
import type { VacationWindow } from '../../../core/account-log/head.ts';
import { responseInterval } from '../../../core/mail/responded-senders.ts';
import { isInWindow } from '../../../core/mail/vacation-response-type.ts';
import type { HeaderField } from '../../../core/mime/header-fields.ts';
import { asAddresses, asText } from '../../../core/mime/header-forms.ts';
import { authorOf, isAutomatic, isNullSender, isSenderAuthenticated, isSpamOrVirus } from '../bounces/bounce-policy.ts';
import type { ReceivedMail } from '../received/ses-notification.ts';

/** The reasons why a message gets no vacation response. */
export type ResponseObstacle =
  | 'outside of the window'
  | 'late delivery'
  | 'spam or virus'
  | 'null sender'
  | 'unreadable header'
  | 'unsupported address'
  | 'own address'
  | 'automatic sender'
  | 'automatic message'
  | 'not addressed to the account'
  | 'unauthenticated sender';

/** An address of the account, active or not. */
type OwnAddress = { readonly email: string; readonly is_active: boolean };

/** The facts that decide whether a message gets a response. */
type Circumstances = {
  readonly mail: ReceivedMail;
  readonly window: VacationWindow;
  /** The fields of the message's header. Undefined if the header is too large to be read. */
  readonly fields: readonly HeaderField[] | undefined;
  readonly ownAddresses: readonly OwnAddress[];
  readonly now: Date;
};

/** The reason not to respond that follows from the notification alone. */
export const notificationObstacle = ({
  mail: { receivedAt, isJunk, verdicts, sender },
  window,
  now,
}: Pick<Circumstances, 'mail' | 'window' | 'now'>): ResponseObstacle | undefined => {
  if (!isInWindow(window, receivedAt)) return 'outside of the window';
  // The record of an earlier response may have expired.
  if (now.getTime() - receivedAt > responseInterval) return 'late delivery';
  if (isJunk || isSpamOrVirus(verdicts)) return 'spam or virus';
  return isNullSender(sender) ? 'null sender' : undefined;
};

/** The return path of mail that SES sent: the id of the message. */
const sesReturnPath = /^[0-9a-f]{16}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{6}@/i;

/**
 * The recipient of a response: the return path (RFC 3834 §4), or the author of mail that SES sent, as between accounts
 * of the deployment.
 */
export const responseRecipient = ({ sender }: ReceivedMail, fields: readonly HeaderField[]): string | undefined =>
  sesReturnPath.test(sender) ? authorOf(fields) : sender;

/** An address that SES and every reader accept: ASCII, without quoted strings, address literals and encoded words. */
const sendableAddress = /^(?!.*=\?)[\w!#$%&'*+/=?^`{|}~.-]{1,64}@(?=.{1,255}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

/** Senders that are programs (RFC 3834 §2, RFC 5230 §4.6), by their local part. */
const automaticSender = new RegExp(
  [
    /^(?:mailer-daemon|mailer|daemon|postmaster|listserv|majordomo|mailman|root|bounces?)$/,
    /^(?:owner|bounces?)[-+=]|[-+](?:request|owner|bounces?|errors?)(?:[-+=]|$)/,
    /(?:^|[-_.+])(?:no|not|do-?not|don-?t)[-_.]?reply(?:[-_.+=]|$)|^(?:auto-?)?(?:noreply|donotreply)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

/** Header fields that only programs write. */
const automaticFields: ReadonlySet<string> = new Set([
  'x-autoreply',
  'x-autorespond',
  'x-autoresponse',
  'x-auto-reply',
  'x-autoreply-from',
  'x-loop',
  'mailing-list',
  'x-mailing-list',
]);

/** Values of X-Auto-Response-Suppress by which a sender requests no vacation responses ([MS-OXCMAIL] §2.2.3.2.14). */
const suppressesResponse = /\b(?:all|oof|autoreply)\b/i;

const asksForNoResponse = (fields: readonly HeaderField[]): boolean =>
  isAutomatic(fields) ||
  fields.some((field) => {
    const name = field.name.toLowerCase();
    return automaticFields.has(name) || (name === 'x-auto-response-suppress' && suppressesResponse.test(asText(field)));
  });

/** The address in the form that `Addresses.resolve` compares, without a detail (RFC 5233). */
const mailboxOf = (address: string): string => {
  const comparable = comparableAddress(address);
  const [, user, domain] = /^([^@+]+)\+[^@]*@(.+)$/.exec(comparable) ?? [];
  return user === undefined ? comparable : `${user}@${domain!}`;
};

const recipientFields: ReadonlySet<string> = new Set(['to', 'cc', 'bcc', 'resent-to', 'resent-cc', 'resent-bcc']);

/** Whether a recipient field names an address of the account (RFC 5230 §4.5). */
const isAddressedTo = (fields: readonly HeaderField[], own: readonly OwnAddress[]): boolean => {
  const addresses = new Set(own.filter(({ is_active: isActive }) => isActive).flatMap(({ email }) => [comparableAddress(email), mailboxOf(email)]));
  return fields
    .filter(({ name }) => recipientFields.has(name.toLowerCase()))
    .flatMap(asAddresses)
    .some(({ email }) => addresses.has(comparableAddress(email)) || addresses.has(mailboxOf(email)));
};

/**
 * The reason why a message gets no response (RFC 3834 §2, RFC 5230 §4.5, §4.6). Undefined when a response is permitted.
 */
export const responseProblem = (circumstances: Circumstances): ResponseObstacle | undefined => {
  const { mail, fields, ownAddresses } = circumstances;
  const early = notificationObstacle(circumstances);
  if (early) return early;
  if (!fields) return 'unreadable header';
  const recipient = responseRecipient(mail, fields);
  if (recipient === undefined || !sendableAddress.test(recipient)) return 'unsupported address';
  const senders = [recipient, authorOf(fields) ?? recipient];
  const own = new Set(ownAddresses.map(({ email }) => mailboxOf(email)));
  if (senders.some((sender) => own.has(mailboxOf(sender)))) return 'own address';
  if (senders.some((sender) => automaticSender.test(localPartOf(sender)))) return 'automatic sender';
  if (asksForNoResponse(fields)) return 'automatic message';
  if (!isAddressedTo(fields, ownAddresses)) return 'not addressed to the account';
  return isSenderAuthenticated(mail, fields) ? undefined : 'unauthenticated sender';
};
