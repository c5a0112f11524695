import * as z from 'zod';
import { domainOf, isLocalPart, isNobodysDomain, parseDomainName, parseEmailAddress } from './mail-address.ts';

/**
 * The kinds of fields of messages. Each kind has its own error messages, to which {@link ./decode.ts} adds the field's
 * path. Lengths are in code points, as in JSON Schema.
 */

const lengthOf = (value: string): number => Array.from(value).length;
const lengthMessage = (min: number, max: number): string => (min === 0 ? `must be at most ${max} characters` : `must be ${min} to ${max} characters`);
const controlCharacter = /\p{Cc}/u;
/** Control characters other than tab and line breaks, which a description may contain. */
const controlCharacterButLines = /[^\P{Cc}\t\n\r]/u;

/** A text of `min` (default 1) to `max` characters, on one line unless `lines` is set. */
export const text = ({ min = 1, max, lines = false }: { min?: number; max: number; lines?: boolean }) =>
  z
    .string()
    .refine((value) => lengthOf(value) >= min && lengthOf(value) <= max && (min === 0 || value.trim() !== ''), { error: lengthMessage(min, max), abort: true })
    // A lone surrogate can't be stored.
    .refine((value) => value.isWellFormed() && !(lines ? controlCharacterButLines : controlCharacter).test(value), {
      error: 'must not contain control characters',
    })
    .meta({ minLength: min, maxLength: max });

/** A text whose empty value removes the stored text (docs/specification.md#messages). */
export const textOrNone = ({ max }: { max: number }) =>
  text({ min: 0, max }).refine((value) => value === '' || value.trim() !== '', { error: 'must not be blank' });

/**
 * Maximum characters of a reference to a resource. A longer reference is invalid_argument; a shorter unknown one is
 * not_found.
 */
export const maxReferenceLength = 128;

/** A reference to a resource by its id. */
export const reference = () => text({ max: maxReferenceLength });

/**
 * A whole number within limits (both inclusive), which is a multiple of `step`. A decimal string is also accepted,
 * because proto3's JSON writes int64 as strings.
 */
export const integer = ({ min, max, step = 1 }: { min: number; max: number; step?: number }) =>
  z.preprocess(
    (value: number | string) => (typeof value === 'string' && /^-?(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value),
    z
      .int()
      .refine((value) => value >= min && value <= max, { error: `must be ${min} to ${max}`, abort: true })
      .refine((value) => value % step === 0, { error: `must be a multiple of ${step}` })
      .meta({ minimum: min, maximum: max, ...(step > 1 && { multipleOf: step }) }),
  );

/**
 * A whole number with a default, which applies when the field is unset. An explicit 0 also means unset: such a field
 * has no presence in proto3, whose JSON writers may write 0 for it (docs/specification.md#messages).
 */
export const integerOrDefault = ({ default: fallback, ...limits }: { min: number; max: number; step?: number; default: number }) =>
  z.preprocess((value: number | string | undefined) => (value === 0 || value === '0' ? undefined : value), integer(limits).default(fallback)).default(fallback);

/** A whole number of a response. */
export const count = () => z.int();
/** A number of a response that may have a fraction. */
export const decimal = () => z.number();
export const bool = () => z.boolean();

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Parses a timestamp with any offset (RFC 3339 §5.6).
 * @returns milliseconds since 1970; undefined for invalid text or a day that does not exist.
 */
const parseTimestamp = (value: string): number | undefined => {
  const [, year, month, day] = rfc3339.exec(value) ?? [];
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (!(Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay)) return undefined;
  const time = Date.parse(value.toUpperCase());
  return Number.isNaN(time) ? undefined : time;
};

/**
 * A timestamp of a request: RFC 3339 with any offset. Methods receive it as `2026-11-21T08:38:00.000Z`
 * (docs/specification.md#messages).
 */
export const timestamp = () =>
  z
    .string()
    .refine((value) => parseTimestamp(value) !== undefined, { error: 'must be an RFC 3339 timestamp such as 2026-11-21T08:38:00Z', abort: true })
    .transform((value) => new Date(parseTimestamp(value) ?? Number.NaN).toISOString())
    .meta({ format: 'date-time' });

/** A timestamp of a response: `2026-11-21T08:38:00.000Z`. */
export const instant = () => z.iso.datetime({ precision: 3 });

const prefixOf = (name: string): string =>
  `${name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toUpperCase()}_`;

/**
 * A value of a fixed set. In a request the value may have the type's prefix: `DMARC_POLICY_TYPE_NONE`
 * (docs/specification.md#messages).
 */
export const enumeration = <const Values extends readonly string[]>(name: string, values: Values) =>
  z
    .preprocess(
      (value: Values[number]) => (typeof value === 'string' && value.startsWith(prefixOf(name)) ? value.slice(prefixOf(name).length) : value),
      z.enum(values),
    )
    .meta({ id: name });

/** A list of a response, which is always present. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).default([]);

/**
 * A list of a request, with at most `max` items. A missing list is empty, because proto3's JSON writers leave out empty
 * lists (docs/specification.md#messages).
 */
export const listOf = <Item extends z.ZodType>(item: Item, { max }: { max: number }) =>
  z
    .array(item)
    .refine((items) => items.length <= max, { error: `must be at most ${max} items` })
    .meta({ maxItems: max })
    .default([]);

/** A domain name of a request; see {@link parseDomainName}. */
export const domainName = () =>
  z
    .string()
    .refine((value) => parseDomainName(value) !== undefined, { error: 'must be a domain name of two labels or more, such as example.com', abort: true })
    .transform((value) => parseDomainName(value) ?? '')
    .meta({ maxLength: 253 });

/** The requirement of a domain name that a request sets, alone or in an address. */
export const ownableDomainRequirement = "must not be at the domain invalid, which is nobody's (RFC 6761 §6.4); give a name that is registered";

/** A domain name that a request sets. {@link domainName} is for one that is only looked up. */
export const newDomainName = () => domainName().refine((domain) => !isNobodysDomain(domain), { error: ownableDomainRequirement });

/**
 * The local part of an address: 1–64 of RFC 5322 atext with single dots between (docs/specification.md#messages). It is
 * lower-cased, because addresses are compared in lower case.
 */
export const localPart = () =>
  z
    .string()
    .refine(isLocalPart, { error: "must be 1 to 64 letters, digits or !#$%&'*+/=?^_`{|}~- with single dots between", abort: true })
    .transform((value) => value.toLowerCase())
    .meta({ minLength: 1, maxLength: 64 });

export const emailAddressRequirement = 'must be an email address such as alice@example.com';

/** A mail address that is looked up; see {@link parseEmailAddress}. */
export const emailAddress = () =>
  z
    .string()
    .refine((value) => parseEmailAddress(value) !== undefined, { error: emailAddressRequirement, abort: true })
    .transform((value) => parseEmailAddress(value) ?? '')
    .meta({ maxLength: 254 });

/** A mail address that a request sets. */
export const newEmailAddress = () => emailAddress().refine((address) => !isNobodysDomain(domainOf(address)), { error: ownableDomainRequirement });

/**
 * A text, validated only by the methods that use the field. An address is normalized as by {@link emailAddress}. A
 * method that uses the field refuses any other text with {@link emailAddressRequirement}.
 */
export const emailAddressIfUsed = () => z.string().transform((value) => parseEmailAddress(value) ?? value);

/** A mail address that a request sets, whose empty value removes the stored address (docs/specification.md#messages). */
export const emailAddressOrNone = () =>
  z
    .string()
    .refine((value) => value === '' || parseEmailAddress(value) !== undefined, { error: `${emailAddressRequirement}, or empty`, abort: true })
    .refine((value) => !isNobodysDomain(domainOf(value)), { error: ownableDomainRequirement })
    .transform((value) => parseEmailAddress(value) ?? '')
    .meta({ maxLength: 254 });

/** Maximum characters of a page token (docs/specification.md#paging). */
export const maxPageTokenLength = 512;

/**
 * The paging fields of a list request. A token is valid for the same method and other arguments; the page size may
 * change between pages.
 */
export const paging = (limits: { max: number; default: number }) => ({
  page_size: integer({ min: 1, max: limits.max }).default(limits.default),
  page_token: text({ min: 0, max: maxPageTokenLength }).optional(),
});

/** Maximum characters of the query of a list. */
export const maxQueryLength = 200;

/**
 * The fields by which a list request orders and searches. `query` has the beginnings of words, as a person types them: case,
 * accents and Unicode forms make no difference, and all of them must match.
 */
export const ordering = <Orders extends z.ZodType>(orders: Orders) => ({
  /** Without it, a list with `query` or `descending` has the first of the orders. */
  order_by: orders.optional(),
  descending: bool().default(false),
  query: text({ max: maxQueryLength }).optional(),
});

/** The paging field of a list response: the token of the next page, empty on the last page. */
export const nextPage = { next_page_token: z.string().default('') };
