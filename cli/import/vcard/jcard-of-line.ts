import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ContentLine } from './content-lines.ts';
import { formOf, readParameterName } from './vcard-properties.ts';
import {
  componentValues,
  dateOf,
  geoUri,
  isOtherDate,
  isUri,
  listValues,
  localTimeText,
  mediaTypeOf,
  textValue,
  textValues,
  utcOf,
  wordsOf,
  zoneOffset,
} from './vcard-values.ts';

/** The parameters of a line, of which a reader takes those that it understands. */
export class Parameters {
  readonly #left: Map<string, readonly string[]>;
  types: readonly string[];

  constructor({ group, parameters }: ContentLine) {
    this.#left = new Map([...parameters].map(([name, values]) => [readParameterName(name), values]));
    if (group !== undefined) this.#left.set('group', [group]);
    this.types = wordsOf(this.#left.get('type'));
    this.#left.delete('type');
  }

  get(name: string): string | undefined {
    return this.#left.get(name)?.join(',');
  }

  take(name: string): string | undefined {
    const value = this.get(name);
    this.#left.delete(name);
    return value;
  }

  /** Takes the types that the map has. */
  takeTypes(known: ReadonlyMap<string, string>): readonly string[] {
    const found = this.types.flatMap((type) => known.get(type) ?? []);
    this.types = this.types.filter((type) => !known.has(type));
    return [...new Set(found)];
  }

  /** The parameters that nobody took, as jCard has them. */
  left(): JsonObject {
    if (this.types.length > 0) this.#left.set('type', this.types);
    return Object.fromEntries([...this.#left].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
  }
}

const base64 = /^[A-Za-z\d+/=\s]*$/;

/** The URI of a property. Binary content of vCard 2.1 and 3 becomes a `data:` URI. */
export const uriOf = (line: ContentLine, parameters: Parameters): string => {
  const isBinary = /^b(?:ase64)?$/i.test(parameters.take('encoding') ?? '');
  const value = textValue(line);
  if (!isBinary || !base64.test(value)) return value;
  const content = value.replaceAll(/\s+/g, '');
  if (content === '') return '';
  const { type, word } = mediaTypeOf(line.name, parameters.types, content);
  parameters.types = parameters.types.filter((each) => each !== word);
  return `data:${type};base64,${content}`;
};

const valueTypes: ReadonlySet<string> = new Set([
  'text',
  'uri',
  'date',
  'time',
  'date-time',
  'date-and-or-time',
  'timestamp',
  'boolean',
  'integer',
  'float',
  'utc-offset',
  'language-tag',
  'unknown',
]);

/** A property that JSContact has no place for, as jCard has it (RFC 9555 §2.15, RFC 7095 §3.3). */
export const jCardProperty = (line: ContentLine): readonly unknown[] => {
  const parameters = new Parameters(line);
  const { name, value } = line;
  const given = parameters.take('value')?.toLowerCase().replace('url', 'uri') ?? '';
  const isGiven = valueTypes.has(given) && given !== 'unknown';
  const form = formOf(name);
  const property = (type: string, ...values: readonly unknown[]) => [name, parameters.left(), type, ...values];
  switch (form) {
    case undefined:
      return isGiven || value.includes('\n') ? property(isGiven ? given : 'text', textValue(line)) : property('unknown', value);
    case 'texts':
      return property('text', ...textValues(line));
    case 'components':
      return property('text', componentValues(line));
    case 'lists':
      return property(
        'text',
        listValues(line).map((texts) => (texts.length > 1 ? texts : texts[0]!)),
      );
    case 'uri': {
      const uri = uriOf(line, parameters);
      return property(given === 'text' || !isUri(uri) ? 'text' : 'uri', uri);
    }
    case 'place': {
      const uri = geoUri(textValue(line)) ?? textValue(line);
      return property(isUri(uri) ? 'uri' : 'text', uri);
    }
    case 'zone': {
      const offset = given === 'text' || given === 'uri' ? undefined : zoneOffset(textValue(line));
      return property(offset === undefined ? (isGiven && given === 'uri' ? 'uri' : 'text') : 'utc-offset', offset ?? textValue(line));
    }
    case 'date': {
      const text = localTimeText(textValue(line), '3.0') ?? textValue(line);
      return property(
        given !== 'text' && (dateOf(text) !== undefined || localTimeText(text, '3.0') !== undefined || isOtherDate(text)) ? 'date-and-or-time' : 'text',
        text,
      );
    }
    case 'time-stamp':
      return property(utcOf(textValue(line)) === undefined ? 'text' : 'timestamp', textValue(line));
    case 'text':
    default:
      return property(isGiven ? given : 'text', textValue(line));
  }
};
