import { parseDateTime } from './date.ts';
import { parseHeaderFields, parseLastFields } from './header-fields.ts';
import { asText } from './header-forms.ts';
import type { BodyPart } from './parsed-email.ts';

/** Fields of RFC 5322 and RFC 2045. The header of every message has at least one of them. */
const messageFields = [
  'from',
  'date',
  'subject',
  'to',
  'message-id',
  'received',
  'return-path',
  'mime-version',
  'content-type',
  'sender',
  'reply-to',
  'cc',
  'bcc',
  'in-reply-to',
  'references',
  'resent-from',
  'resent-date',
] as const;

/** The octets of the message's header block. */
const headerBlock = (message: Buffer, { headers: { start, end } }: BodyPart): Buffer => message.subarray(start, end);

/**
 * Whether the octets are a message (RFC 5322): their header has at least one field of messages. There is no other
 * requirement, as in received mail.
 * @param root the parsed structure of the octets.
 */
export const isMessage = (octets: Buffer, root: BodyPart): boolean => {
  const fields = parseLastFields(headerBlock(octets, root));
  return messageFields.some((name) => fields.get(name) !== undefined);
};

/** Maximum Received fields that are searched for a date. */
export const maxReceivedFields = 20;

/**
 * The time of the newest Received field with a date, in milliseconds since 1970. Each server adds its field at the top.
 */
export const newestReceivedTime = (message: Buffer, root: BodyPart): number | undefined => {
  const fields = parseHeaderFields(headerBlock(message, root)).filter(({ name }) => name.toLowerCase() === 'received');
  for (const field of fields.slice(0, maxReceivedFields)) {
    const text = asText(field);
    const date = parseDateTime(text.slice(text.lastIndexOf(';') + 1));
    if (date) return date.time;
  }
  return undefined;
};
