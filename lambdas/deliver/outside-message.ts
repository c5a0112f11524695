import { comparableAddress, domainOf, localPartOf } from '../../contract/values/mail-address.ts';
import type { Domains, StoredDomain } from '../../core/directory/domains/domains.ts';
import { BoundaryScanner } from '../../core/mime/body/boundary-scanner.ts';
import { composeField, UnwritableValue } from '../../core/mime/compose/compose-header-field.ts';
import { parseHeaderFields, type HeaderField } from '../../core/mime/header-fields.ts';
import { asAddresses } from '../../core/mime/header-forms.ts';
import type { EmailAddress } from '../../core/mime/parsed-email.ts';
import { wireMessage } from '../../core/sending/wire/wire-message.ts';
import { authorOf, isAuthorProven } from './bounces/bounce-policy.ts';
import type { withMarks } from './copy-marks.ts';
import type { ReceivedMail } from './received/ses-notification.ts';

/* Received messages that groups and accounts send on to the outside. */

/** A message whose header is parsed, at most as many fields as the parser reads. */
export type ReadHeader = { readonly message: Buffer; readonly fields: readonly HeaderField[]; readonly bodyStart: number };

/** Parses the whole header: one that is too long to be searched must not hide the marks of a loop. */
export const readWholeHeader = (message: Buffer): ReadHeader => {
  const { end, bodyStart } = new BoundaryScanner(message).headerEnd(0);
  return { message, fields: parseHeaderFields(message.subarray(0, end)), bodyStart };
};

/** Fields that would be wrong in a message that is sent on. */
const replaced = new Set(['sender', 'authentication-results']);
/** Fields that a list writes itself. */
const isOfLists = (name: string): boolean => name === 'precedence' || name.startsWith('list-');
/** Fields that a message may have several times. SES accepts most others only once. */
const isRepeatable = (name: string): boolean => name === 'received' || name.startsWith('x-') || name.startsWith('resent-');

const maxName = 100;

/** The group or the account that sends a message on. */
type Sender = { readonly email: string; readonly name: string };

/** A field with addresses. Undefined when one of them cannot be written: senders can put anything into theirs. */
const addressField = (name: string, value: readonly EmailAddress[]): string | undefined => {
  try {
    return composeField(name, { form: 'asAddresses', value })?.text;
  } catch (error) {
    if (error instanceof UnwritableValue) return undefined;
    throw error;
  }
};

/** `"Ada via Sales" <sales@…>`, with the author in Reply-To: SES sends no mail for a foreign author. */
const viaFields = (authors: readonly EmailAddress[], hasReplyTo: boolean, { name, email }: Sender): string[] => {
  const [author] = authors;
  const shown = (author?.name ?? (author && localPartOf(author.email)) ?? '').replaceAll(/\p{Cc}/gu, ' ').trim();
  const from = shown === '' ? name : `${Array.from(shown).slice(0, maxName).join('')} via ${name}`;
  const replyTo = hasReplyTo || !author ? undefined : addressField('Reply-To', authors);
  return [addressField('From', [{ name: from, email }]) ?? `From: <${email}>`, ...(replyTo === undefined ? [] : [replyTo])];
};

type SentOn = {
  readonly sender: Sender;
  /** Whether the message keeps its author in From. */
  readonly keepsFrom: boolean;
  readonly marks: ReturnType<typeof withMarks>;
  /** The fields of a list, each without its line break, which replace those of other lists. Undefined: the message is not one of a list. */
  readonly listFields?: readonly string[];
};

/** The message as addresses outside get it. @throws UnsendableMessage */
export const composeForOutside = (
  { message, fields, bodyStart }: ReadHeader,
  { sender, keepsFrom, marks, listFields }: SentOn,
  messageId: string,
  date: Date,
): Buffer => {
  const seen = new Set<string>();
  const kept = fields.filter(({ name }) => {
    const lower = name.toLowerCase();
    if (replaced.has(lower) || lower.startsWith('arc-') || (listFields && isOfLists(lower)) || (lower === 'from' && !keepsFrom)) return false;
    const isSecond = seen.has(lower) && !isRepeatable(lower);
    seen.add(lower);
    return !isSecond;
  });
  const authors = fields.filter(({ name }) => name.toLowerCase() === 'from').flatMap(asAddresses);
  const own = [...(keepsFrom ? [] : viaFields(authors, seen.has('reply-to'), sender)), ...(listFields ?? [])];
  const header = [
    ...kept.map(({ name, value }) => Buffer.concat([Buffer.from(`${name}:`, 'latin1'), value, ...(value.at(-1) === 0x0a ? [] : [Buffer.from('\r\n')])])),
    ...own.map((line) => Buffer.from(`${line}\r\n`)),
  ];
  const wire = wireMessage(Buffer.concat([...header, Buffer.from('\r\n'), message.subarray(bodyStart)]), { messageId, date });
  return Buffer.concat([Buffer.from(marks.map(([name, value]) => `${name}: ${value}\r\n`).join('')), wire]);
};

export const domainMaySend = (domain: StoredDomain | undefined): boolean => domain?.state === 'ready' && domain.send_enabled;

/** Whether SES may send for the author, so that DMARC passes at the receiver: a proven author at a domain of the deployment. */
export const keepsAuthor = async (mail: ReceivedMail, { fields }: ReadHeader, domains: Pick<Domains, 'find' | 'findIdByName'>): Promise<boolean> => {
  const author = isAuthorProven(mail, fields) ? authorOf(fields) : undefined;
  if (author === undefined) return false;
  const id = await domains.findIdByName(domainOf(comparableAddress(author)));
  const domain = id === undefined ? undefined : await domains.find(id);
  return domainMaySend(domain) && domain?.verification_status === 'SUCCESS' && domain.dkim_status === 'SUCCESS';
};
