import { baseSubject } from '../../mime/base-subject.ts';
import { parseHeaderFields, parseLastFields } from '../../mime/header-fields.ts';
import { asMessageIds, asRaw, asText } from '../../mime/header-forms.ts';

/** Maximum octets of a message's header that are stored with its submission. */
export const maxOriginalHeader = 4096;

/** Maximum octets that are searched for the end of the header. */
const searchedOctets = 256 * 1024;

/** The fields that help a person to recognize a message, in lower case. They are stored first. */
const identifyingFields = ['subject', 'message-id', 'date', 'from', 'to', 'in-reply-to'];

/** The rank of a field among the stored fields. Fields of lower rank are stored first. */
const rankOf = (name: string): number => {
  const rank = identifyingFields.indexOf(name.toLowerCase());
  return rank < 0 ? identifyingFields.length : rank;
};

/** The octets of a message's header. */
const headerBlock = (message: Uint8Array): Buffer => {
  const beginning = Buffer.from(message.buffer, message.byteOffset, Math.min(message.length, searchedOctets));
  const blank = /^\r?\n|\r?\n\r?\n/.exec(beginning.toString('latin1'));
  return beginning.subarray(0, blank?.index ?? beginning.length);
};

/** The first complete header fields, up to {@link maxOriginalHeader} octets. Failure reports and Threads need them. */
export const originalHeader = (message: Uint8Array): string => {
  const fields = parseHeaderFields(headerBlock(message)).map((field, index) => ({
    index,
    rank: rankOf(field.name),
    text: `${field.name}:${asRaw(field)}\r\n`,
  }));
  const kept: typeof fields = [];
  let remaining = maxOriginalHeader;
  for (const field of fields.toSorted((one, other) => one.rank - other.rank)) {
    const octets = Buffer.byteLength(field.text);
    if (octets > remaining) continue;
    remaining -= octets;
    kept.push(field);
  }
  return kept
    .sort((one, other) => one.index - other.index)
    .map(({ text }) => text)
    .join('');
};

/** The subject on one line, the base subject and the Message-ID in a header. */
export const headerSummary = (header: string): { readonly subject: string; readonly baseSubject: string; readonly messageId?: string } => {
  const fields = parseLastFields(Buffer.from(header));
  const [subjectField, idField] = [fields.get('subject'), fields.get('message-id')];
  const subject = subjectField ? asText(subjectField) : '';
  const messageId = idField && asMessageIds(idField)?.[0];
  return {
    subject: subject
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim(),
    baseSubject: baseSubject(subject),
    ...(messageId !== undefined && { messageId }),
  };
};
