import { asText } from '../../../core/mime/header/header-forms.ts';
import { parseHeaderFields, type HeaderField } from '../../../core/mime/header/header-fields.ts';
import { parseLimits } from '../../../core/mime/parse-limits.ts';

const authenticationResults = 'authentication-results';

/**
 * Fields in which SES writes its results, and the new name of such fields of others. It has the length of the old one,
 * so that no position in the message changes.
 */
const otherNames: ReadonlyMap<string, string> = new Map([
  [authenticationResults, 'Untrusted-Auth-Results'],
  ['received-spf', 'Asserted-SPF'],
  ['x-ses-spam-verdict', 'Untrusted-SES-Spam'],
  ['x-ses-virus-verdict', 'Untrusted-SES-Virus'],
]);

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
 * All fields of a header. The parser reads the fields that a client can request; a program that downloads the message
 * reads those after them too.
 */
function* allFieldsOf(header: Buffer): Generator<HeaderField, void, undefined> {
  for (let rest = header; ;) {
    const fields = parseHeaderFields(rest);
    yield* fields;
    if (fields.length < parseLimits.headerFields) return;
    const { value } = fields.at(-1)!;
    rest = rest.subarray(value.byteOffset - rest.byteOffset + value.length);
  }
}

const nameOf = ({ name }: HeaderField): string => name.toLowerCase();

/** Of each name the first field that SES wrote, by its position. */
const trustedFields = (fields: readonly HeaderField[]): ReadonlySet<HeaderField> => {
  const bySes = fields.slice(0, fields.findIndex((field) => nameOf(field) === endOfSesFields) + 1)
    .filter((field) => nameOf(field) !== authenticationResults || isBySes(field));
  return new Set(new Map(bySes.toReversed().map((field) => [nameOf(field), field])).values());
};

/**
 * The message in which only SES's results and verdicts keep their names: all others are renamed, such as
 * Authentication-Results to `Untrusted-Auth-Results` (RFC 8601 §5), because a sender can write such fields. Without the
 * renaming, `header:Authentication-Results` of a JMAP client would be the sender's, because it is the last field of
 * that name (RFC 8621 §4.1.3), and a filter on X-SES-Spam-Verdict could read it.
 * @returns the same buffer if there are no such fields.
 */
export const trustOnlySesResults = (message: Buffer): Buffer => {
  const known = [...otherNames.keys(), endOfSesFields];
  const fields = allFieldsOf(headerOf(message)).filter((field) => known.includes(nameOf(field))).toArray();
  const trusted = trustedFields(fields);
  const others = fields.filter((field) => otherNames.has(nameOf(field)) && !trusted.has(field));
  if (others.length === 0) return message;
  const copy = Buffer.from(message);
  for (const field of others) copy.write(otherNames.get(nameOf(field))!, nameStart(message, field), 'latin1');
  return copy;
};
