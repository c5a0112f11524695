import { asText } from '../../core/mime/header-forms.ts';
import { parseHeaderFields, type HeaderField } from '../../core/mime/header-fields.ts';
import { parseLimits } from '../../core/mime/parse-limits.ts';

const fieldName = 'authentication-results';

/** The name that other results get. It is as long as the old one, so that no position in the message changes. */
const otherName = 'Untrusted-Auth-Results';

/** The authserv-id of SES (RFC 8601 §2.2). */
const isBySes = (field: HeaderField): boolean => /^amazonses\.com(\s+1)?\s*;/i.test(asText(field));

/** SES writes its fields above those of the sender, and this one after its Authentication-Results. */
const endOfSesFields = 'x-ses-receipt';

/** The octets of the message up to the empty line after its header. */
const headerOf = (message: Buffer): Buffer => {
  const block = message.subarray(0, parseLimits.headerBlock);
  if (/^\r?\n/.test(block.toString('latin1', 0, 2))) return Buffer.alloc(0);
  const ends = ['\n\n', '\n\r\n'].map((end) => block.indexOf(end)).filter((position) => position >= 0);
  return block.subarray(0, ends.length > 0 ? Math.min(...ends) + 1 : block.length);
};

/** The position of a field's name. Blanks may be before the colon. */
const nameStart = (message: Buffer, { name, value }: HeaderField): number => {
  const colon = value.byteOffset - message.byteOffset - 1;
  return message.lastIndexOf(name, colon - name.length, 'latin1');
};

/**
 * The message with the Authentication-Results that SES wrote as its only ones: all others are renamed to
 * `Untrusted-Auth-Results` (RFC 8601 §5). A sender can write any. Without the renaming, `header:Authentication-Results`
 * of a JMAP client would be the sender's, because it is the last field of that name (RFC 8621 §4.1.3).
 * @returns the same buffer if there are no others.
 */
export const trustOnlySesResults = (message: Buffer): Buffer => {
  const fields = parseHeaderFields(headerOf(message));
  const nameOf = ({ name }: HeaderField) => name.toLowerCase();
  const sesFields = fields.slice(0, fields.findIndex((field) => nameOf(field) === endOfSesFields) + 1);
  const trusted = sesFields.find((field) => nameOf(field) === fieldName && isBySes(field));
  const others = fields.filter((field) => nameOf(field) === fieldName && field !== trusted);
  if (others.length === 0) return message;
  const copy = Buffer.from(message);
  for (const field of others) copy.write(otherName, nameStart(message, field), 'latin1');
  return copy;
};
