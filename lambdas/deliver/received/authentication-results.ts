import { parseHeaderFields, type HeaderField } from '../../../core/mime/header-fields.ts';
import { asText } from '../../../core/mime/header-forms.ts';
import { parseLimits } from '../../../core/mime/parse-limits.ts';

/** The name of the field with results, in lower case (RFC 8601 §2.2). */
export const authenticationResults = 'authentication-results';

/** SES's fields with results, each with a name of equal length that replaces the name of other senders' fields. */
const otherNames: ReadonlyMap<string, string> = new Map([
  [authenticationResults, 'Untrusted-Auth-Results'],
  ['received-spf', 'Asserted-SPF'],
  ['x-ses-spam-verdict', 'Untrusted-SES-Spam'],
  ['x-ses-virus-verdict', 'Untrusted-SES-Virus'],
]);

/** Whether a field has the authserv-id of SES (RFC 8601 §2.2). */
const isBySes = (field: HeaderField): boolean => /^amazonses\.com(\s+1)?\s*;/i.test(asText(field));

/** The last field that SES writes above those of the sender, after its Authentication-Results. */
const endOfSesFields = 'x-ses-receipt';

/** The octets of the message up to the empty line after its header. */
const headerOf = (message: Buffer): Buffer => {
  const block = message.subarray(0, parseLimits.headerBlock);
  if (/^\r?\n/.test(block.toString('latin1', 0, 2))) return Buffer.alloc(0);
  const ends = ['\n\n', '\n\r\n'].map((end) => block.indexOf(end)).filter((position) => position >= 0);
  return block.subarray(0, ends.length > 0 ? Math.min(...ends) + 1 : block.length);
};

/** The position of a field's name, which may be followed by blanks before the colon. */
const nameStart = (message: Buffer, { name, value }: HeaderField): number => {
  const colon = value.byteOffset - message.byteOffset - 1;
  return message.lastIndexOf(name, colon - name.length, 'latin1');
};

/** All fields of a header, including those beyond the limits of the parser. */
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

/** The first field of each name that SES wrote, by position. */
const trustedFields = (fields: readonly HeaderField[]): ReadonlySet<HeaderField> => {
  const bySes = fields
    .slice(0, fields.findIndex((field) => nameOf(field) === endOfSesFields) + 1)
    .filter((field) => nameOf(field) !== authenticationResults || isBySes(field));
  return new Set(new Map(bySes.toReversed().map((field) => [nameOf(field), field])).values());
};

/**
 * The message in which only SES's results and verdicts keep their names. All other such fields are renamed, for example
 * Authentication-Results to `Untrusted-Auth-Results` (RFC 8601 §5), because a sender can write them. Otherwise a JMAP
 * client would read the sender's field as `header:Authentication-Results`, because it is the last field of that name
 * (RFC 8621 §4.1.3), and a filter on X-SES-Spam-Verdict could be deceived too.
 * @returns the same buffer if there are no such fields.
 */
export const trustOnlySesResults = (message: Buffer): Buffer => {
  const known = [...otherNames.keys(), endOfSesFields];
  const fields = allFieldsOf(headerOf(message))
    .filter((field) => known.includes(nameOf(field)))
    .toArray();
  const trusted = trustedFields(fields);
  const others = fields.filter((field) => otherNames.has(nameOf(field)) && !trusted.has(field));
  if (others.length === 0) return message;
  const copy = Buffer.from(message);
  for (const field of others) copy.write(otherNames.get(nameOf(field))!, nameStart(message, field), 'latin1');
  return copy;
};
