import { isObject } from '../../../contract/jmap/data-type.ts';
import { cleanText, isToken, type ContentLine, type VCardVersion } from '../../import/vcard/content-lines.ts';
import { formOf, writtenName, writtenParameterName } from '../../import/vcard/vcard-properties.ts';
import {
  coordinatesOf,
  dateOf,
  dateText,
  escapedText,
  escapedUri,
  localTimeText,
  omittedYear,
  timeStampText,
  typeOfMedia,
  zoneOffset,
} from '../../import/vcard/vcard-values.ts';

type Written = { readonly name: string; readonly value: string; readonly parameters?: readonly (readonly [string, readonly string[]])[] };

const isScalar = (value: unknown): value is string | number | boolean => /^(?:string|number|boolean)$/.test(typeof value);

/** The text of one value: of a scalar, or of components that may be lists. @returns undefined for another value. */
const escaped = (value: unknown, separators = ';,'): string | undefined => {
  if (isScalar(value)) return escapedText(String(value));
  if (!Array.isArray(value) || separators === '') return undefined;
  const parts = value.map((each: unknown) => escaped(each, separators.slice(1)));
  return parts.every((each) => each !== undefined) ? parts.join(separators[0]) : undefined;
};

/** The properties that have content in base64 in vCard 3 unless they say otherwise. */
export const binaryProperties: ReadonlySet<string> = new Set(['photo', 'logo', 'sound', 'key']);

const dataUri = /^data:([^;,]{0,200});base64,/i;

const base64 = /^[A-Za-z\d+/=]+$/;

/** Writes the content of a `data:` URI as vCard 3 has it. @returns undefined for another URI, and for content that is no base64. */
export const binaryOf = (name: string, uri: string): { readonly content: string; readonly type: string } | undefined => {
  const [start, mediaType = ''] = dataUri.exec(uri) ?? [];
  if (start === undefined || mediaType === '') return undefined;
  const content = uri.slice(start.length);
  return base64.test(content) ? { content, type: typeOfMedia(name, mediaType.toLowerCase()) } : undefined;
};

/** Writes a value whose form differs between versions. @returns undefined for a value that is written like others. */
const converted = (name: string, type: string, text: string, version: VCardVersion): Written | undefined => {
  const is4 = version === '4.0';
  const form = formOf(name);
  if (form === 'uri' && type === 'uri') {
    const binary = is4 ? undefined : binaryOf(name, text);
    return binary
      ? {
          name,
          value: binary.content,
          parameters: [
            ['encoding', ['b']],
            ['type', [binary.type]],
          ],
        }
      : { name, value: escapedUri(text, version), parameters: is4 || !binaryProperties.has(name) ? [] : [['value', ['uri']]] };
  }
  if (form === 'place') {
    if (is4) return type === 'text' ? undefined : { name, value: escapedUri(text, version) };
    const coordinates = coordinatesOf(text);
    return coordinates === undefined ? { name: 'x-geo', value: escapedUri(text, version) } : { name, value: coordinates };
  }
  if (form === 'zone' && type === 'utc-offset') {
    const offset = zoneOffset(text);
    if (offset === undefined) return undefined;
    return is4 ? { name, value: offset.replace(':', ''), parameters: [['value', ['utc-offset']]] } : { name, value: offset };
  }
  if (form === 'zone')
    return { name, value: type === 'uri' ? escapedUri(text, version) : escapedText(text), parameters: is4 && type !== 'uri' ? [] : [['value', [type]]] };
  if (form === 'date' && type !== 'text') {
    const date = dateOf(text);
    const written = date && dateText(date, version);
    if (written?.isYearOmitted) return { name, value: written.text, parameters: [['x-apple-omit-year', [String(omittedYear)]]] };
    if (written) return { name: !is4 && written.isLoose ? `x-${name}` : name, value: written.text };
    const local = localTimeText(text, version);
    return {
      name: is4 || local !== undefined ? name : `x-${name}`,
      value: local ?? escapedText(text),
      parameters: is4 || local === undefined ? [] : [['value', ['date-time']]],
    };
  }
  if (form === 'date' && !is4) return { name: `x-${name}`, value: escapedText(text), parameters: [['value', ['text']]] };
  if (form === 'time-stamp' && type !== 'text') return { name, value: timeStampText(text, version) ?? escapedText(text) };
  return undefined;
};

/** The VALUE that a type needs when it is not the default of the property. */
const valueParameter = (name: string, type: string): readonly (readonly [string, readonly string[]])[] => {
  const form = formOf(name);
  const isDefault =
    type === 'unknown' ||
    (form === 'uri'
      ? type === 'uri'
      : form === 'date'
        ? type !== 'text'
        : form === 'time-stamp'
          ? type !== 'text'
          : form !== undefined && form !== 'place' && type === 'text');
  return isDefault ? [] : [['value', [type]]];
};

/**
 * The line of a property that a Card keeps as jCard has it (RFC 7095 §3.3). A client may have stored any JSON there.
 * @returns undefined for what is no property.
 */
export const lineOfJCard = (property: unknown, version: VCardVersion): ContentLine | undefined => {
  if (!Array.isArray(property) || property.length < 4) return undefined;
  const [rawName, rawParameters, rawType, ...values] = property as readonly unknown[];
  if (typeof rawName !== 'string' || !isToken(rawName) || /^(?:begin|end|version)$/i.test(rawName) || !isObject(rawParameters)) return undefined;
  const name = rawName.toLowerCase();
  const type = typeof rawType === 'string' && isToken(rawType) ? rawType.toLowerCase() : 'unknown';
  const { group } = rawParameters;
  const parameters: (readonly [string, readonly string[]])[] = Object.entries(rawParameters).flatMap(([key, value]) => {
    const texts = (Array.isArray(value) ? value : [value]).filter(isScalar).map(String);
    return isToken(key) && texts.length > 0 && !/^(?:group|value|charset)$/i.test(key) ? [[key.toLowerCase(), texts]] : [];
  });
  const [first] = values;
  const isOneText = values.length === 1 && typeof first === 'string';
  const isRaw = isOneText && type === 'unknown' && formOf(name) === undefined;
  const isUriText = isOneText && type === 'uri';
  const texts = values.map((each) => escaped(each));
  const joined = isRaw ? cleanText(first) : isUriText ? escapedUri(first, version) : texts.every((each) => each !== undefined) ? texts.join(',') : undefined;
  const written =
    (isOneText ? converted(name, type, cleanText(first), version) : undefined) ??
    (joined === undefined ? undefined : { name, value: joined, parameters: valueParameter(name, type) });
  if (!written) return undefined;
  const all = new Map<string, readonly string[]>();
  for (const [key, each] of [...(written.parameters ?? []), ...parameters]) {
    const parameter = writtenParameterName(key, version);
    if (parameter === 'encoding' && formOf(name) !== undefined && all.has(parameter)) continue;
    all.set(parameter, [...(all.get(parameter) ?? []), ...each]);
  }
  return {
    name: writtenName(written.name, version),
    value: written.value,
    parameters: all,
    group: typeof group === 'string' && isToken(group) ? group : undefined,
  };
};
