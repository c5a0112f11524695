import { withinTime } from '../runtime/time-limit.ts';
import { baseSubject } from './base-subject.ts';
import { hasAttachment } from './body/body-lists.ts';
import { parseStructure } from './body/body-structure.ts';
import { parseLastFields, type LastFields } from './header-fields.ts';
import { addressesWithin, asText, parseDateField } from './header-forms.ts';
import { parseMessageIds, threadMessageIds } from './message-ids.ts';
import { parseLimits, withinParseTime } from './parse-limits.ts';
import type { BodyPart, EmailAddress, ParsedEmail } from './parsed-email.ts';
import { preview } from './preview.ts';
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
  /**
   * A fault of the parser, or the excess of its time. The message then has the fields that could be read, and one part, for
   * download.
   */
  readonly failure?: Error;
};

/** The address fields. */
const addressFields = ['from', 'sender', 'reply-to', 'to', 'cc', 'bcc'] as const;
type AddressField = (typeof addressFields)[number];

/** Octets of an address in a record, in addition to its texts: `{"name":,"email":},`. */
const addressOverhead = 19;

/** Reads a property from the header. Undefined when it could not be read. */
type ReadProperty = <T>(read: () => T) => T | undefined;

/**
 * Divides octets among the fields by need, the smallest first, so that a long field takes only what the others leave.
 * @param needs the octets of each field.
 * @returns the octets for each field.
 */
const divided = (needs: ReadonlyMap<AddressField, number>, octets: number): ReadonlyMap<AddressField, number> => {
  let remaining = octets;
  return new Map(
    [...needs]
      .sort(([, one], [, other]) => one - other)
      .map(([name, need], index) => {
        const share = Math.min(need, Math.floor(remaining / (needs.size - index)));
        remaining -= share;
        return [name, share];
      }),
  );
};

const storedAddress = ({ name, email }: EmailAddress): number => addressOverhead + storedOctets(name) + storedOctets(email);

/** The addresses of a field, of which the octets up to the limit are parsed. An address that does not fit is left out whole. */
const addressesOf = (name: AddressField, value: Buffer, octets: number): readonly EmailAddress[] => {
  const addresses = addressesWithin({ name, value }, octets);
  return addresses
    .filter(({ email }) => storedOctets(email) <= parseLimits.address)
    .map((address) => ({ ...address, name: address.name === null ? null : cutToOctets(address.name, parseLimits.displayName) }));
};

/** The addresses in each address field of the message, as many as the limits allow. */
const parseAddressFields = (fields: LastFields, attempt: ReadProperty): Partial<Record<AddressField, readonly EmailAddress[]>> => {
  const values = addressFields.flatMap((name) => {
    const field = fields.get(name);
    return field ? [[name, field.value] as const] : [];
  });
  const parsed = divided(new Map(values.map(([name, { length }]) => [name, length])), parseLimits.addressFields);
  const lists = values.map(([name, value]) => [name, attempt(() => addressesOf(name, value, parsed.get(name)!)) ?? []] as const);
  const needs = new Map(lists.map(([name, list]) => [name, list.reduce((sum, address) => sum + storedAddress(address), 0)]));
  const stored = divided(needs, parseLimits.allAddresses);
  return Object.fromEntries(
    lists.map(([name, list]) => {
      const budget = new OctetBudget(stored.get(name)!);
      return [name, list.filter((address) => budget.take(storedAddress(address)))];
    }),
  );
};

/** The properties of a message with this header and body. */
const messageOf = (fields: LastFields, body: Pick<ParsedEmail, 'preview' | 'hasAttachment' | 'bodyStructure'>, attempt: ReadProperty): ParsedMessage => {
  const { from, sender, 'reply-to': replyTo, to, cc, bcc } = parseAddressFields(fields, attempt);
  const messageIds = {
    messageId: attempt(() => parseMessageIds(fields, 'message-id')),
    inReplyTo: attempt(() => parseMessageIds(fields, 'in-reply-to')),
    references: attempt(() => parseMessageIds(fields, 'references')),
  };
  const subjectField = fields.get('subject');
  const subject = subjectField && attempt(() => cutToOctets(asText(subjectField), parseLimits.subject));
  const date = attempt(() => parseDateField(fields.get('date')));
  return {
    email: { ...messageIds, sender, from, to, cc, bcc, replyTo, subject, sentAt: date?.text, ...body },
    sentAt: date?.time,
    threadMessageIds: threadMessageIds(messageIds),
    baseSubject: attempt(() => baseSubject(subject ?? '')) ?? '',
  };
};

const parse = (message: Buffer): ParsedMessage => {
  const { root, fields } = parseStructure(message);
  const body = { preview: preview(message, root), hasAttachment: hasAttachment(root), bodyStructure: root };
  return messageOf(fields, body, (read) => read());
};

/** The end of the header before the first empty line, within the limits. */
const headerEndOf = (message: Buffer): number => {
  const block = message.subarray(0, parseLimits.headerBlock);
  const ends = ['\n\n', '\n\r\n'].map((end) => block.indexOf(end)).filter((position) => position >= 0);
  return Math.min(...ends.map((position) => position + 1), block.length);
};

/**
 * The properties of a message that could not be parsed: those of its header that can be read. Its only part is the whole message,
 * for download.
 */
export const unparsedMessage = (message: Buffer, failure: Error): ParsedMessage => {
  const attempt: ReadProperty = (read) => {
    try {
      return withinTime(parseLimits.fieldMilliseconds, read);
    } catch {
      return undefined;
    }
  };
  const headers = { start: 0, end: headerEndOf(message) };
  const fields = attempt(() => parseLastFields(message.subarray(0, headers.end)));
  const bodyStructure: BodyPart = {
    partId: '1',
    type: 'application/octet-stream',
    encoding: 'identity',
    name: 'message.eml',
    size: message.length,
    range: { start: 0, end: message.length },
    headers,
  };
  return { ...messageOf(fields ?? new Map(), { preview: '', hasAttachment: true, bodyStructure }, attempt), failure };
};

/**
 * Parses a raw message into the properties of its Email (RFC 8621 §4.1). Accepts any octets and never throws, because
 * every received message must be delivered. `parse-limits.ts` limits the work, its time and the size of the result.
 * Properties that the message does not have are undefined.
 */
export const parseMessage = (message: Buffer): ParsedMessage => {
  try {
    return withinParseTime(message.length, () => parse(message));
  } catch (error) {
    return unparsedMessage(message, error instanceof Error ? error : new Error(String(error)));
  }
};
