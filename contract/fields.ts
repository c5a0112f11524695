import * as z from 'zod';

/**
 * The kinds of field that messages are made of. Each refuses in our own words, which {@link ./decode.ts} puts behind
 * the field's path. Lengths count code points, as JSON Schema does.
 */

const lengthOf = (value: string): number => Array.from(value).length;
const words = (min: number, max: number): string => (min === 0 ? `must be at most ${max} characters` : `must be ${min} to ${max} characters`);
const controlCharacter = /\p{Cc}/u;
/** Tab and line breaks are text in a description. */
const controlCharacterButLines = /[^\P{Cc}\t\n\r]/u;

/** Text of `min` (default 1) to `max` characters, on one line unless `lines`. */
export const text = ({ min = 1, max, lines = false }: { min?: number; max: number; lines?: boolean }) => z.string()
  .refine((value) => lengthOf(value) >= min && lengthOf(value) <= max && (min === 0 || value.trim() !== ''), { error: words(min, max), abort: true })
  // A lone surrogate can't be stored.
  .refine((value) => value.isWellFormed() && !(lines ? controlCharacterButLines : controlCharacter).test(value), { error: 'must not contain control characters' })
  .meta({ minLength: min, maxLength: max });

/** The same where an empty text says that there is to be none any more (docs/specification.md#messages). */
export const textOrNone = ({ max }: { max: number }) => text({ min: 0, max }).refine((value) => value === '' || value.trim() !== '', { error: 'must not be blank' });

/** The longest reference to a resource. What is shorter and means nothing is not_found, not invalid_argument. */
export const maxReferenceLength = 128;

/** A reference to a resource by its id. */
export const reference = () => text({ max: maxReferenceLength });

/**
 * A whole number within limits (both inclusive), a multiple of `step`; a decimal string is read as well, as proto3's
 * JSON writes int64.
 */
export const integer = ({ min, max, step = 1 }: { min: number; max: number; step?: number }) => z.preprocess(
  (value: number | string) => (typeof value === 'string' && /^-?(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value),
  z.int()
    .refine((value) => value >= min && value <= max, { error: `must be ${min} to ${max}`, abort: true })
    .refine((value) => value % step === 0, { error: `must be a multiple of ${step}` })
    .meta({ minimum: min, maximum: max, ...(step > 1 && { multipleOf: step }) }),
);

/** A whole number of a response. */
export const count = () => z.int();
/** A number of a response that may have a fraction. */
export const decimal = () => z.number();
export const bool = () => z.boolean();

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * RFC 3339 §5.6 with any offset.
 * @returns milliseconds since 1970; undefined for what is none or a day that does not exist.
 */
export const parseTimestamp = (value: string): number | undefined => {
  const [, year, month, day] = rfc3339.exec(value) ?? [];
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (!(Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay)) return undefined;
  const time = Date.parse(value.toUpperCase());
  return Number.isNaN(time) ? undefined : time;
};

/**
 * A moment in a request: RFC 3339 with any offset, given to methods as `2026-11-21T08:38:00.000Z`
 * (docs/specification.md#messages).
 */
export const timestamp = () => z.string()
  .refine((value) => parseTimestamp(value) !== undefined, { error: 'must be an RFC 3339 timestamp such as 2026-11-21T08:38:00Z', abort: true })
  .transform((value) => new Date(parseTimestamp(value) ?? Number.NaN).toISOString())
  .meta({ format: 'date-time' });

/** A moment in a response: `2026-11-21T08:38:00.000Z`. */
export const instant = () => z.iso.datetime({ precision: 3 });

const prefixOf = (name: string): string => `${name.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2').toUpperCase()}_`;

/**
 * A closed set of words. Requests may spell a value with the type's prefix, `DMARC_POLICY_TYPE_NONE`
 * (docs/specification.md#messages).
 */
export const enumeration = <const Values extends readonly [string, ...string[]]>(name: string, values: Values) => z.preprocess(
  (value: Values[number]) => (typeof value === 'string' && value.startsWith(prefixOf(name)) ? value.slice(prefixOf(name).length) : value),
  z.enum(values),
).meta({ id: name });

/** A list of a response: always there. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).default([]);

/** A list of a request: at most `max` items. */
export const listOf = <Item extends z.ZodType>(item: Item, { max }: { max: number }) => z.array(item)
  .refine((items) => items.length <= max, { error: `must be at most ${max} items` })
  .meta({ maxItems: max });

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * A host name of two labels or more, lower-cased; a U-label becomes its A-label (RFC 1123 §2.1, RFC 5891;
 * docs/specification.md#messages).
 * @returns undefined for what is none: an address literal, a trailing dot, a single label.
 */
export const parseDomainName = (value: string): string | undefined => {
  if (value.length > 253 || /[\s/?#@:\\%[\]]/u.test(value)) return undefined;
  const host = URL.parse(`http://${value}`)?.hostname ?? '';
  const labels = host.split('.');
  return host.length <= 253 && labels.length >= 2 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '') ? host : undefined;
};

/** A domain name of a request; see {@link parseDomainName}. */
export const domainName = () => z.string()
  .refine((value) => parseDomainName(value) !== undefined, { error: 'must be a domain name of two labels or more, such as example.com', abort: true })
  .transform((value) => parseDomainName(value) ?? '')
  .meta({ maxLength: 253 });

/** RFC 5322 §3.2.3 atext. */
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const isLocalPart = (value: string): boolean => value.length <= 64 && dotAtom.test(value);

/**
 * What stands before the @: 1–64 of RFC 5322 atext and single dots between (docs/specification.md#messages);
 * lower-cased, as addresses are compared.
 */
export const localPart = () => z.string()
  .refine(isLocalPart, { error: 'must be 1 to 64 letters, digits or !#$%&\'*+/=?^_`{|}~- with single dots between', abort: true })
  .transform((value) => value.toLowerCase())
  .meta({ minLength: 1, maxLength: 64 });

/** A mail address in lower case, its domain as A-labels. @returns undefined for what is none. */
export const parseEmailAddress = (value: string): string | undefined => {
  const at = value.lastIndexOf('@');
  const domain = parseDomainName(value.slice(at + 1));
  const address = `${value.slice(0, Math.max(at, 0)).toLowerCase()}@${domain}`;
  return at > 0 && domain !== undefined && isLocalPart(value.slice(0, at)) && address.length <= 254 ? address : undefined;
};

/** A mail address of a request; see {@link parseEmailAddress}. */
export const emailAddress = () => z.string()
  .refine((value) => parseEmailAddress(value) !== undefined, { error: 'must be an email address such as alice@example.com', abort: true })
  .transform((value) => parseEmailAddress(value) ?? '')
  .meta({ maxLength: 254 });

/** The same where an empty text says that there is to be none any more (docs/specification.md#messages). */
export const emailAddressOrNone = () => z.string()
  .refine((value) => value === '' || parseEmailAddress(value) !== undefined, { error: 'must be an email address such as alice@example.com, or empty', abort: true })
  .transform((value) => parseEmailAddress(value) ?? '')
  .meta({ maxLength: 254 });

/** The longest page token (docs/specification.md#paging). */
export const maxPageTokenLength = 512;

/**
 * What a method that lists takes. A token is bound to the method and its other arguments; the page size may change
 * between pages.
 */
export const paging = (limits: { max: number; default: number }) => ({
  page_size: integer({ min: 1, max: limits.max }).default(limits.default),
  page_token: text({ min: 0, max: maxPageTokenLength }).optional(),
});

/** What a method that lists answers beside its list: empty when there is no more. */
export const nextPage = { next_page_token: z.string().default('') };

/**
 * What a change gives, field by field: an empty text takes away what is there, so that the field is given as undefined
 * (docs/specification.md#messages).
 */
export const givenFields = <T extends object>(wanted: T): Partial<T> =>
  Object.fromEntries(Object.entries(wanted).flatMap(([name, value]: [string, unknown]) => (value === undefined ? [] : [[name, value === '' ? undefined : value]]))) as Partial<T>;
