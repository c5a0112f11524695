import type { BodyPart } from './parsed-email.ts';
import { cutToOctets, storedOctets } from './charset.ts';
import { mediaTypeOf, parseContentField, type ContentField } from './content-field.ts';
import { lastField, type HeaderField } from './header-fields.ts';
import { asText } from './header-forms.ts';
import { parseLimits } from './parse-limits.ts';

/** What a part's header says of it (RFC 8621 §4.1.4). */
export type PartProperties = Pick<BodyPart, 'type' | 'name' | 'charset' | 'disposition' | 'cid' | 'language' | 'location'>;

/** What is left for the texts that the parts of one message bring along, so that its record stays small. */
export class TextBudget {
  #left: number = parseLimits.allPartTexts;

  /** The text, cut to what one may have; undefined when it is empty or nothing is left. */
  keep(text: string | undefined): string | undefined {
    if (!text) return undefined;
    const kept = cutToOctets(text, parseLimits.partText);
    this.#left -= storedOctets(kept);
    return this.#left >= 0 ? kept : undefined;
  }
}

const textOf = (fields: readonly HeaderField[], name: string): string | undefined => {
  const field = lastField(fields, name);
  return field && asText(field).trim();
};

/** What is between the angle brackets, or all of it. */
const withoutBrackets = (text: string | undefined): string | undefined => text && (/<([^<>]*)>/.exec(text)?.[1] ?? text).trim();

const languagesOf = (fields: readonly HeaderField[], texts: TextBudget): string[] | undefined => {
  const languages = textOf(fields, 'content-language')?.split(',', parseLimits.languages).map((language) => language.trim());
  const kept = languages?.filter((language) => /^[\w-]{1,35}$/.test(language) && texts.keep(language) !== undefined);
  return kept?.length ? kept : undefined;
};

/** A text part without a charset, or with what can't be the name of one, is ASCII, as the MIME standard has it; others have none (RFC 8621 §4.1.4). */
const charsetOf = (type: string, contentType: ContentField | undefined): string | undefined =>
  /^[\x21-\x7e]{1,64}$/.exec(contentType?.parameters.get('charset')?.trim() ?? '')?.[0] ?? (type.startsWith('text/') ? 'us-ascii' : undefined);

/** Reads the properties of a part; `implicitType` is what it is when it has no Content-Type. A property that would be null is left out. */
export const parsePartProperties = (
  fields: readonly HeaderField[], contentType: ContentField | undefined, implicitType: string, texts: TextBudget,
): PartProperties => {
  const type = mediaTypeOf(contentType) ?? (contentType ? 'text/plain' : implicitType);
  const disposition = parseContentField(lastField(fields, 'content-disposition'));
  const properties: { -readonly [P in keyof PartProperties]: PartProperties[P] } = { type: texts.keep(type) ?? 'application/octet-stream' };
  const put = <P extends keyof PartProperties>(property: P, value: PartProperties[P]): void => {
    if (value !== undefined) properties[property] = value;
  };
  put('name', texts.keep((disposition?.parameters.get('filename') ?? contentType?.parameters.get('name'))?.replaceAll('\0', '').normalize('NFC')));
  put('charset', texts.keep(charsetOf(type, contentType)));
  put('disposition', texts.keep(disposition && (/^[\w!#$&^.+-]{1,64}$/.exec(disposition.value)?.[0] ?? 'attachment')));
  put('cid', texts.keep(withoutBrackets(textOf(fields, 'content-id'))));
  put('language', languagesOf(fields, texts));
  put('location', texts.keep(textOf(fields, 'content-location')));
  return properties;
};
