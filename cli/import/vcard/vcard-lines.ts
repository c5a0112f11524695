import type { JsonObject } from '../../../contract/jmap/data-type.ts';

/** A property of a vCard as jCard has it (RFC 7095): the name, its parameters, the type of its value, and its values. */
export type VCardProperty = readonly [name: string, parameters: JsonObject, type: string, ...values: readonly unknown[]];

/** A version of vCard: RFC 2426, and RFC 6350. */
export const vCardVersions = ['3.0', '4.0'] as const;
export type VCardVersion = (typeof vCardVersions)[number];

/** The vCards of a text, each with its first and last line. Lines outside of them are ignored. */
export const vCardTextsIn = (text: string): readonly string[] => {
  const cards: string[] = [];
  let start: number | undefined;
  for (const { 0: line, index } of text.matchAll(/^(?:BEGIN|END):VCARD[ \t]*$/gim)) {
    if (/^b/i.test(line)) start ??= index;
    else if (start !== undefined) {
      cards.push(text.slice(start, index + line.length));
      start = undefined;
    }
  }
  return cards;
};

/** Parses and writes vCards. */
export type VCardFormat = {
  /** Parses one vCard. @throws Error for lines that are no vCard. */
  readonly parse: (text: string) => readonly VCardProperty[];
  /** Writes a vCard with CRLF as line ends. */
  readonly format: (properties: readonly VCardProperty[]) => string;
};

/** Loads the parser, which other commands do not need. */
export const loadVCardFormat = async (): Promise<VCardFormat> => {
  const { default: icalendar } = await import('ical.js');
  return {
    parse(text) {
      const [name, properties] = icalendar.parse(`${text.replaceAll(/\r?\n/g, '\r\n')}\r\n`);
      if (name !== 'vcard') throw new Error('the text is not one vCard');
      return properties as readonly VCardProperty[];
    },
    format: (properties) => `${icalendar.stringify(['vcard', properties, []]).replaceAll(/\r?\n/g, '\r\n').trimEnd()}\r\n`,
  };
};

const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);

/** The values of the parameter TYPE, in lower case. */
export const typesOf = ([, parameters]: VCardProperty): readonly string[] =>
  list(parameters['type']).flatMap((type) => type.toLowerCase().split(','));

/** A structured value as texts: its components, each with its values. */
export const componentsOf = (value: unknown): readonly (readonly string[])[] => (Array.isArray(value) ? value : [value])
  .map((each: unknown) => list(each ?? []).filter((text) => text !== ''));
