import { baseSubject } from './header/base-subject.ts';
import { hasAttachment } from './body/body-lists.ts';
import { parseStructure } from './body/body-structure.ts';
import type { LastFields } from './header/header-fields.ts';
import { asAddresses, asText, parseDateField } from './header/header-forms.ts';
import { parseMessageIds, threadMessageIds } from './header/message-ids.ts';
import { parseLimits } from './parse-limits.ts';
import type { BodyPart, EmailAddress, ParsedEmail } from './parsed-email.ts';
import { preview } from './text/preview.ts';
import { cutToOctets, OctetBudget, storedOctets } from './text-limits.ts';

/** A parsed message: the properties of its Email, and the ids for finding its Thread. */
export type ParsedMessage = {
  readonly email: ParsedEmail;
  /** The time of the Date field in milliseconds since 1970. Undefined when the field is missing or cannot be parsed. */
  readonly sentAt?: number;
  /** The message ids of {@link threadMessageIds}. */
  readonly threadMessageIds: readonly string[];
  /** The base subject: {@link baseSubject}. */
  readonly baseSubject: string;
  /** A defect in the parser. The message then has one part, for download. */
  readonly failure?: Error;
};

/** The address fields. Earlier fields use the budget first. */
const addressFields = ['from', 'sender', 'reply-to', 'to', 'cc', 'bcc'] as const;

/** Octets of an address in a record, in addition to its texts. */
const addressOverhead = 32;

/** The addresses in each address field of the message, as many as the limits allow. */
const parseAddressFields = (fields: LastFields): Partial<Record<(typeof addressFields)[number], EmailAddress[]>> => {
  const budget = new OctetBudget(parseLimits.allAddresses);
  let unparsedOctets: number = parseLimits.addressFields;
  const cut = ({ name, email }: EmailAddress): EmailAddress =>
    ({ name: name === null ? null : cutToOctets(name, parseLimits.displayName), email: cutToOctets(email, parseLimits.address) });
  const fits = ({ name, email }: EmailAddress): boolean => budget.take(addressOverhead + storedOctets(name ?? '') + storedOctets(email));
  return Object.fromEntries(addressFields.flatMap((name) => {
    const field = fields.get(name);
    if (!field) return [];
    const value = field.value.subarray(0, unparsedOctets);
    unparsedOctets -= value.length;
    return [[name, asAddresses({ name, value }).map(cut).filter(fits)]];
  }));
};

const parse = (message: Buffer): ParsedMessage => {
  const { root, fields } = parseStructure(message);
  const { from, sender, 'reply-to': replyTo, to, cc, bcc } = parseAddressFields(fields);
  const messageIds = {
    messageId: parseMessageIds(fields, 'message-id'),
    inReplyTo: parseMessageIds(fields, 'in-reply-to'),
    references: parseMessageIds(fields, 'references'),
  };
  const subjectField = fields.get('subject');
  const subject = subjectField && cutToOctets(asText(subjectField), parseLimits.subject);
  const date = parseDateField(fields.get('date'));
  return {
    email: {
      ...messageIds, sender, from, to, cc, bcc, replyTo, subject, sentAt: date?.text,
      preview: preview(message, root), hasAttachment: hasAttachment(root), bodyStructure: root,
    },
    sentAt: date?.time,
    threadMessageIds: threadMessageIds(messageIds),
    baseSubject: baseSubject(subject ?? ''),
  };
};

/** The properties of a message that could not be parsed. Its only part is the whole message, for download. */
export const unparsedMessage = (message: Buffer, failure: Error): ParsedMessage => {
  const bodyStructure: BodyPart = {
    partId: '1', type: 'application/octet-stream', encoding: 'identity', size: message.length,
    range: { start: 0, end: message.length }, headers: { start: 0, end: 0 },
  };
  return { email: { preview: '', hasAttachment: true, bodyStructure }, threadMessageIds: [], baseSubject: '', failure };
};

/**
 * Parses a raw message into the properties of its Email (RFC 8621 §4.1). Accepts any octets and never throws, because
 * every received message must be delivered. `parse-limits.ts` limits the work and the size of the result. Properties
 * that the message does not have are undefined.
 */
export const parseMessage = (message: Buffer): ParsedMessage => {
  try {
    return parse(message);
  } catch (error) {
    return unparsedMessage(message, error instanceof Error ? error : new Error(String(error)));
  }
};
