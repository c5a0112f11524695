import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { cleanText, type ContentLine, type VCardVersion } from './content-lines.ts';

/** Undoes the escapes of a value (RFC 6350 §3.4). vCard 3 escapes the colon too (RFC 2426 §5). */
const unescaped = (text: string, isQuotedPrintable = false): string =>
  text.replace(/\\([\\,;:nN])/g, (all, code: string) => (!/n/i.test(code) ? code : isQuotedPrintable ? all : '\n'));

/** Splits a value at a separator that has no backslash before it, and no space behind it if it is one of prose. */
const split = (value: string, separator: string, isProse = false): readonly string[] => {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < value.length; index += 1) {
    if (value[index] === '\\') index += 1;
    else if (value[index] === separator && !(isProse && value[index + 1] === ' ')) {
      parts.push(value.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, value.slice(start)];
};

export const textValue = ({ value, isQuotedPrintable }: ContentLine): string => unescaped(value, isQuotedPrintable);
export const textValues = ({ value, isQuotedPrintable }: ContentLine): readonly string[] =>
  split(value, ',').map((each) => unescaped(each, isQuotedPrintable).trim());
/** The components of a value. */
export const componentValues = ({ value, isQuotedPrintable }: ContentLine): readonly string[] =>
  split(value, ';').map((each) => unescaped(each, isQuotedPrintable));
/**
 * The components of a value, each with its texts. vCard 2.1 has no lists. Programs that do not escape a comma in a text
 * have a space behind it.
 */
export const listValues = ({ value, isQuotedPrintable, is21 }: ContentLine): readonly (readonly string[])[] =>
  split(value, ';').map((each) => (is21 ? [each] : split(each, ',', true)).map((text) => unescaped(text, isQuotedPrintable)));

export const escapedText = (text: string): string =>
  cleanText(text)
    .replace(/[\\,;]/g, '\\$&')
    .replaceAll('\n', '\\n');
/**
 * A URI has its separators as they are (RFC 6350 §4.2). In vCard 3, programs escape the comma and end the value at another
 * one. A backslash is no character of a URI, but some have it.
 */
export const escapedUri = (text: string, version: VCardVersion): string =>
  cleanText(text)
    .replace(version === '3.0' ? /[\\,]/g : /\\/g, '\\$&')
    .replaceAll('\n', '\\n');

/** The values of a parameter in lower case, also when several are within quotes. */
export const wordsOf = (values: readonly string[] | undefined): readonly string[] =>
  (values ?? []).flatMap((value) =>
    value
      .toLowerCase()
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  );

export const isUri = (text: string): boolean => /^[a-z][a-z\d+.-]{0,60}:\S/i.test(text);

const digits = (value: number, length: number): string => String(value).padStart(length, '0');
const two = (value: number): string => digits(value, 2);
const dateTime = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d{1,9})?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?)?$/i;
const partialDate = /^(?:(\d{4})(?:-?(\d\d))?|--(\d\d)(?:-?(\d\d))?)$/;

const isDay = (month: number | undefined, day: number | undefined): boolean =>
  (month === undefined || (month >= 1 && month <= 12)) && (day === undefined || (day >= 1 && day <= 31));

/** The UTCDate of a time stamp, or of midnight of a date. @returns undefined for another form. */
export const utcOf = (text: string): string | undefined => {
  const match = dateTime.exec(text.trim());
  if (!match) return undefined;
  const [year, month, day, hour = '00', minute = '00', second = '00', , zoneHour, zoneMinute = '00'] = match.slice(1);
  const zone = zoneHour === undefined ? 'Z' : `${zoneHour}:${zoneMinute}`;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(time) || !/^\d{4}-/.test(new Date(time).toISOString()) ? undefined : `${new Date(time).toISOString().slice(0, 19)}Z`;
};

/** A date as JSContact's PartialDate or Timestamp. @returns undefined for a form that JSContact does not have. */
export const dateOf = (text: string): JsonObject | undefined => {
  const value = text.trim();
  const match = dateTime.exec(value);
  if (match) {
    const [year, month, day, hour, minute, second = '00', utc, zoneHour] = match.slice(1);
    if (utc !== undefined || zoneHour !== undefined) {
      const time = utcOf(value);
      return time === undefined ? undefined : { '@type': 'Timestamp', utc: time };
    }
    // Programs that know dates with a time only write midnight.
    const isMidnight = hour === undefined || `${hour}${minute}${second}` === '000000';
    if (!isMidnight || !isDay(Number(month), Number(day))) return undefined;
    return { '@type': 'PartialDate', year: Number(year), month: Number(month), day: Number(day) };
  }
  const [, year, monthOfYear, month, day] = partialDate.exec(value) ?? [];
  const parts = {
    ...(year && { year: Number(year) }),
    ...((monthOfYear ?? month) && { month: Number(monthOfYear ?? month) }),
    ...(day && { day: Number(day) }),
  };
  return Object.keys(parts).length === 0 || !isDay(parts.month, parts.day) ? undefined : { '@type': 'PartialDate', ...parts };
};

/** A UTCDate in the form of a version. @returns undefined for a text that is none. */
export const timeStampText = (utc: unknown, version: VCardVersion): string | undefined => {
  const time = typeof utc === 'string' ? utcOf(utc) : undefined;
  return version === '4.0' ? time?.replaceAll(/[-:]/g, '') : time;
};

/** Whether a text is a date or a time of RFC 6350 §4.3.4 that JSContact does not have, such as a time without a date. */
export const isOtherDate = (text: string): boolean =>
  /^(?:---\d\d|(?:---\d\d|--\d\d(?:-?\d\d)?|\d{8}|\d{4}-\d\d-\d\d)?T[\d:-]{2,9}(?:Z|[+-][\d:]{2,5})?)$/.test(text.trim());

/** The year that Apple writes for a date without one. It is a leap year. */
export const omittedYear = 1604;

/** A date in the form of a version, and whether its year is omitted. @returns undefined for a value that is no date. */
export const dateText = (
  value: JsonObject,
  version: VCardVersion,
): { readonly text: string; readonly isLoose: boolean; readonly isYearOmitted?: boolean } | undefined => {
  if (value['utc'] !== undefined) {
    const text = timeStampText(value['utc'], version);
    return text === undefined ? undefined : { text, isLoose: false };
  }
  const [year, month, day] = [value['year'], value['month'], value['day']].map((each) =>
    typeof each === 'number' && Number.isSafeInteger(each) ? each : undefined,
  );
  if (month === undefined) return year === undefined ? undefined : { text: digits(year, 4), isLoose: true };
  if (year !== undefined && day !== undefined) {
    return { text: [digits(year, 4), two(month), two(day)].join(version === '4.0' ? '' : '-'), isLoose: false };
  }
  if (year !== undefined) return { text: `${digits(year, 4)}-${two(month)}`, isLoose: true };
  if (version === '3.0' && day !== undefined) return { text: `${omittedYear}-${two(month)}-${two(day)}`, isLoose: false, isYearOmitted: true };
  return { text: `--${two(month)}${day === undefined ? '' : two(day)}`, isLoose: true };
};

/** A date with a time that has no zone, in the form of a version. @returns undefined for another text. */
export const localTimeText = (text: string, version: VCardVersion): string | undefined => {
  const [, year, month, day, hour, minute, second = '00', utc, zoneHour] = dateTime.exec(text.trim()) ?? [];
  if (hour === undefined || utc !== undefined || zoneHour !== undefined) return undefined;
  const [ofDate, ofTime] = version === '4.0' ? ['', ''] : ['-', ':'];
  return `${[year, month, day].join(ofDate)}T${[hour, minute, second].join(ofTime)}`;
};

const zone = /^([+-])(\d\d):?(\d\d)?$/;
/** An offset in the form of jCard, such as -05:00. @returns undefined for another text. */
export const zoneOffset = (text: string): string | undefined => {
  const [, sign, hour, minute = '00'] = zone.exec(text.trim()) ?? [];
  return sign === undefined ? undefined : `${sign}${hour}:${minute}`;
};

const place = /^([+-]?\d{1,3}(?:\.\d{1,20})?)[ \t]{0,9}[;,][ \t]{0,9}([+-]?\d{1,3}(?:\.\d{1,20})?)$/;
/** The `geo:` URI of coordinates as vCard 2.1 and 3 have them. @returns undefined for another text. */
export const geoUri = (text: string): string | undefined => {
  const hasDecimalCommas = /^[+-]?\d{1,3},\d{1,20};[ \t]?[+-]?\d{1,3},\d{1,20}$/.test(text.trim());
  const [, latitude, longitude] = place.exec(hasDecimalCommas ? text.trim().replaceAll(',', '.') : text.trim()) ?? [];
  return latitude === undefined ? undefined : `geo:${latitude},${longitude}`;
};
/** The coordinates of a `geo:` URI as vCard 3 has them. @returns undefined when the URI has more than these. */
export const coordinatesOf = (uri: string): string | undefined => {
  const [scheme, rest] = [uri.slice(0, 4).toLowerCase(), uri.slice(4)];
  return scheme === 'geo:' && place.test(rest) && !rest.includes(';') ? rest.replace(',', ';') : undefined;
};

const mediaSubtypes = new Map(
  Object.entries({ pgp: 'application/pgp-keys', x509: 'application/pkix-cert', wave: 'audio/wave', pcm: 'audio/pcm', jpg: 'image/jpeg' }),
);
const typeByStart = [
  ['/9j/', 'jpeg'],
  ['iVBORw', 'png'],
  ['R0lG', 'gif'],
  ['UklGR', 'webp'],
  ['Qk', 'bmp'],
] as const;

/** The media type of content in base64 by the TYPE of vCard 2.1 and 3, and that word of the types. */
export const mediaTypeOf = (name: string, types: readonly string[], content: string): { readonly type: string; readonly word?: string | undefined } => {
  const word = types.find((each) => !/^(?:home|work|pref)$/.test(each));
  if (word?.includes('/')) return { type: word, word };
  const known = mediaSubtypes.get(word ?? '');
  if (known !== undefined) return { type: known, word };
  if (name === 'key') return { type: word === undefined ? 'application/octet-stream' : `application/${word}`, word };
  const found = typeByStart.find(([start]) => content.startsWith(start))?.[1] ?? 'jpeg';
  return name === 'sound' ? { type: `audio/${word ?? 'basic'}`, word } : { type: `image/${word ?? found}`, word };
};

/** The TYPE from which `mediaTypeOf` finds the media type. */
export const typeOfMedia = (name: string, mediaType: string): string => {
  const words = [...mediaSubtypes.keys()].filter((word) => word !== 'jpg').concat(mediaType.slice(mediaType.indexOf('/') + 1));
  return words.find((word) => mediaTypeOf(name, [word], '').type === mediaType)?.toUpperCase() ?? mediaType;
};
