import type { ComposedField } from './compose-header-field.ts';

/** Writes structured MIME fields such as Content-Type (RFC 2045 §5.1), with parameters beyond ASCII by RFC 2231. */

const token = /^[\w!#$%&'*+.^`{|}~-]+$/;

/** Maximum characters of a parameter's value on one line. */
const maxValue = 60;

/**
 * Whether a value is printable ASCII that mail clients do not change within quotes. This excludes text in the form of
 * an encoded word.
 */
const isQuotable = (value: string): boolean => /^[ !#-[\]-~]*$/.test(value) && !value.includes('=?');

/** Percent-encodes an octet unless RFC 2231 §7 allows it unencoded (attribute-char). */
const extended = (character: string): string => {
  if (/^[A-Za-z0-9!#$&+.^_`{|}~-]$/.test(character)) return character;
  return [...Buffer.from(character)].map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`).join('');
};

/** The sections of a value (RFC 2231 §3). No section splits a character. */
const extendedSections = (name: string, value: string): string[] => {
  const sections: string[] = [];
  let section = "utf-8''";
  for (const character of value) {
    const encoded = extended(character);
    if (section.length + encoded.length > maxValue) {
      sections.push(section);
      section = '';
    }
    section += encoded;
  }
  sections.push(section);
  return sections.length === 1 ? [`${name}*=${sections[0]!}`] : sections.map((each, index) => `${name}*${index}*=${each}`);
};

const parameterTexts = (name: string, value: string): string[] => {
  if (value.length <= maxValue && token.test(value)) return [`${name}=${value}`];
  return value.length <= maxValue && isQuotable(value) ? [`${name}="${value}"`] : extendedSections(name, value);
};

/** Writes a field with a value and parameters. The parameters are on separate lines when they do not fit on one. */
export const composeContentField = (name: string, value: string, parameters: ReadonlyMap<string, string>): ComposedField => {
  const texts = [...parameters]
    .filter(([parameter]) => token.test(parameter) && !parameter.includes('*'))
    .flatMap(([parameter, text]) => parameterTexts(parameter, text));
  let text = `${name}: ${value}`;
  let lineLength = text.length;
  for (const each of texts) {
    const fits = lineLength + each.length + 2 <= 78;
    text += fits ? `; ${each}` : `;\r\n ${each}`;
    lineLength = fits ? lineLength + each.length + 2 : each.length + 1;
  }
  return { name, text };
};
