import type { BodyPart, EmailAddress, ParsedEmail } from './parsed-email.ts';
import { baseSubject } from './base-subject.ts';
import { hasAttachment } from './body-lists.ts';
import { cutToOctets, storedOctets } from './charset.ts';
import { lastField, type HeaderField } from './header-fields.ts';
import { asAddresses, asMessageIds, asText, parseDateField } from './header-forms.ts';
import { parseLimits } from './parse-limits.ts';
import { preview } from './preview.ts';
import { parseStructure } from './body-structure.ts';
import { threadMessageIds } from './message-ids.ts';

/** What a message says: all of its record but the ids, and what finds its thread. */
export type ParsedMessage = {
  readonly email: ParsedEmail;
  /** Milliseconds since 1970 of the Date field; undefined when there is none that can be read. */
  readonly sentAt?: number;
  /** Its own Message-ID first, then In-Reply-To and References, the nearest first; each once. */
  readonly threadMessageIds: readonly string[];
  readonly baseSubject: string;
  /** Reading it failed, which is a mistake of ours; the rest of this then says nothing but where the body is. */
  readonly failure?: Error;
};

const addressFields = ['sender', 'from', 'to', 'cc', 'bcc', 'reply-to'] as const;

/** Octets that an address takes in a record besides its texts. */
const addressOverhead = 32;

/** Reads address fields into what a record may hold of them; the fields that matter most come first. */
const readAddresses = (fields: readonly HeaderField[]): Partial<Record<(typeof addressFields)[number], EmailAddress[]>> => {
  let left: number = parseLimits.allAddresses;
  const fits = ({ name, email }: EmailAddress): boolean => {
    left -= addressOverhead + storedOctets(name ?? '') + storedOctets(email);
    return left >= 0;
  };
  const read = (name: string): EmailAddress[] | undefined => {
    const field = lastField(fields, name);
    return field && asAddresses(field).map(({ name, email }) => ({
      name: name === null ? null : cutToOctets(name, parseLimits.displayName), email: cutToOctets(email, parseLimits.address),
    })).filter(fits);
  };
  return Object.fromEntries(['from', 'sender', 'reply-to', 'to', 'cc', 'bcc'].flatMap((name) => {
    const addresses = read(name);
    return addresses ? [[name, addresses]] : [];
  }));
};

/** Message ids of a field, as many as a record may hold: from both ends, since the first began the thread and the last is answered. */
const readMessageIds = (fields: readonly HeaderField[], name: string): string[] | undefined => {
  const field = lastField(fields, name);
  const ids = field && asMessageIds(field)?.filter((id) => storedOctets(id) <= parseLimits.messageId);
  if (!ids?.length) return undefined;
  const kept = { front: [] as string[], back: [] as string[] };
  let left: number = parseLimits.messageIdList;
  for (let low = 0, high = ids.length - 1; low <= high;) {
    const fromBack = kept.back.length <= kept.front.length;
    const id = fromBack ? ids[high]! : ids[low]!;
    left -= storedOctets(id) + 8;
    if (left < 0) break;
    if (fromBack) high -= 1;
    else low += 1;
    (fromBack ? kept.back : kept.front).push(id);
  }
  return [...kept.front, ...kept.back.toReversed()];
};

const readMessage = (message: Buffer): ParsedMessage => {
  const { root, fields } = parseStructure(message);
  const subjectField = lastField(fields, 'subject');
  const subject = subjectField && cutToOctets(asText(subjectField), parseLimits.subject);
  const date = parseDateField(lastField(fields, 'date'));
  const addresses = readAddresses(fields);
  const ids = {
    messageId: readMessageIds(fields, 'message-id'), inReplyTo: readMessageIds(fields, 'in-reply-to'), references: readMessageIds(fields, 'references'),
  };
  return {
    email: {
      ...ids, sender: addresses.sender, from: addresses.from, to: addresses.to, cc: addresses.cc, bcc: addresses.bcc, replyTo: addresses['reply-to'],
      subject, sentAt: date?.text, preview: preview(message, root), hasAttachment: hasAttachment(root), bodyStructure: root,
    },
    sentAt: date?.time,
    threadMessageIds: threadMessageIds(ids),
    baseSubject: baseSubject(subject ?? ''),
  };
};

/** A message that nothing could be read out of: one file, the whole of it. */
export const unparsedMessage = (message: Buffer, failure: Error): ParsedMessage => {
  const bodyStructure: BodyPart = {
    partId: '1', type: 'application/octet-stream', encoding: 'identity', range: { start: 0, end: message.length }, headers: { start: 0, end: 0 }, size: message.length,
  };
  return { email: { preview: '', hasAttachment: true, bodyStructure }, threadMessageIds: [], baseSubject: '', failure };
};

/**
 * Reads a raw message once, for all that is ever asked of it (RFC 8621 §4.1). Never throws, since anything that arrives is delivered; work and result
 * are bounded by `limits.ts`. Properties that the message does not have are undefined.
 */
export const parseMessage = (message: Buffer): ParsedMessage => {
  try {
    return readMessage(message);
  } catch (error) {
    return unparsedMessage(message, error instanceof Error ? error : new Error(String(error)));
  }
};
