import { mediaTypeOf, type ContentField, type ContentFieldReader } from '../content-type.ts';
import type { HeaderField, LastFields } from '../header-fields.ts';
import { asText } from '../header-forms.ts';
import { parseLimits } from '../parse-limits.ts';
import type { BodyPart } from '../parsed-email.ts';
import { cutToOctets, storedOctets, type OctetBudget } from '../text-limits.ts';
import { trimmed } from '../trim.ts';

/** The properties of a part that come from its header fields (RFC 8621 §4.1.4). */
export type PartProperties = Pick<BodyPart, 'type' | 'name' | 'charset' | 'disposition' | 'cid' | 'language' | 'location'>;

/** The names of the header fields that describe a part. */
const contentFieldNames = ['content-type', 'content-transfer-encoding', 'content-disposition', 'content-id', 'content-language', 'content-location'] as const;
type ContentFieldName = (typeof contentFieldNames)[number];

/** The fields that describe a part. */
export type ContentFields = { get(name: ContentFieldName): HeaderField | undefined; parsed(name: ContentFieldName): ContentField | undefined };

/** The fields that describe a part, within the limits of the message's reader. */
export const contentFieldsOf = (fields: LastFields, reader: ContentFieldReader): ContentFields => {
  for (const name of contentFieldNames) reader.field(fields.get(name));
  return { get: (name) => reader.field(fields.get(name)), parsed: (name) => reader.parsed(fields.get(name)) };
};

/** The text truncated to the limits of a part's texts. Undefined when it is empty or the budget is used up. */
const limited = (text: string | undefined, budget: OctetBudget): string | undefined => {
  if (!text) return undefined;
  const cut = cutToOctets(text, parseLimits.partText);
  return budget.take(storedOctets(cut)) ? cut : undefined;
};

/** The text within the limits of a part's texts. Undefined when it is longer: part of an id or URL would be another one. */
const wholeText = (text: string | undefined, budget: OctetBudget): string | undefined =>
  limited(text !== undefined && cutToOctets(text, parseLimits.partText) === text ? text : undefined, budget);

const fileEnding = /\.[\p{L}\p{N}]{1,16}$/u;

/** The file name within the limits. A longer one keeps its ending, without which a file does not open. */
const limitedName = (name: string | undefined, budget: OctetBudget): string | undefined => {
  if (name === undefined || cutToOctets(name, parseLimits.partText) === name) return limited(name, budget);
  const ending = fileEnding.exec(name.slice(-20))?.[0] ?? '';
  return limited(cutToOctets(name, parseLimits.partText - Buffer.byteLength(ending)) + ending, budget);
};

const fieldText = (fields: ContentFields, name: ContentFieldName): string | undefined => {
  const field = fields.get(name);
  return field && asText(field).trim();
};

/** The text within angle brackets, or the whole text when there are none. */
export const withoutBrackets = (text: string | undefined): string | undefined => text && (/<([^<>]*)>/.exec(text)?.[1] ?? trimmed(text, /[<>]/)).trim();

const fileNameOf = (contentType: ContentField | undefined, disposition: ContentField | undefined): string | undefined =>
  (disposition?.parameters.get('filename') ?? contentType?.parameters.get('name'))?.replaceAll('\0', '').normalize('NFC');

/** The charset of a part (RFC 8621 §4.1.4). The default is us-ascii for text parts; other parts have none. */
const charsetOf = (type: string, contentType: ContentField | undefined): string | undefined => {
  const [word = ''] = contentType?.parameters.get('charset')?.trim().split(/\s/, 1) ?? [];
  const named = trimmed(word, /['"]/);
  return /^[\x21-\x7e]{1,64}$/.test(named) ? named : type.startsWith('text/') ? 'us-ascii' : undefined;
};

/** The disposition of a part. An unknown disposition means attachment (RFC 2183 §2.8). */
const dispositionOf = (field: ContentField | undefined): string | undefined => field && (/^[\w!#$&^.+-]{1,64}$/.exec(field.value)?.[0] ?? 'attachment');

const languagesOf = (fields: ContentFields, budget: OctetBudget): string[] | undefined => {
  const languages = fieldText(fields, 'content-language')
    ?.split(',', parseLimits.languages)
    .map((language) => language.trim())
    .filter((language) => /^[\w-]{1,35}$/.test(language) && limited(language, budget) !== undefined);
  return languages?.length ? languages : undefined;
};

/**
 * Parses the properties of a part. Properties that would be null are absent.
 * @param implicitType the media type of a part without Content-Type.
 * @param budget the octets that remain for the texts of all parts of the message.
 */
export const parsePartProperties = (fields: ContentFields, implicitType: string, budget: OctetBudget): PartProperties => {
  const [contentType, disposition] = [fields.parsed('content-type'), fields.parsed('content-disposition')];
  const type = mediaTypeOf(contentType) ?? (contentType ? 'text/plain' : implicitType);
  const properties: { -readonly [P in keyof PartProperties]: PartProperties[P] } = { type: limited(type, budget) ?? 'application/octet-stream' };
  const put = <P extends keyof PartProperties>(property: P, value: PartProperties[P]): void => {
    if (value !== undefined) properties[property] = value;
  };
  put('name', limitedName(fileNameOf(contentType, disposition), budget));
  put('charset', limited(charsetOf(type, contentType), budget));
  put('disposition', limited(dispositionOf(disposition), budget));
  put('cid', wholeText(withoutBrackets(fieldText(fields, 'content-id')), budget));
  put('language', languagesOf(fields, budget));
  put('location', wholeText(fieldText(fields, 'content-location'), budget));
  return properties;
};
