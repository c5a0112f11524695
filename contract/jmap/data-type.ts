/**
 * A JMAP data type (RFC 8620 §1) as a value. The contract describes arguments, properties and filter conditions with
 * it; {@link isOfType} checks values, and {@link ValueOf} is their TypeScript type.
 */
export type DataType =
  | 'Id'
  /** An Id, or a creation id after `#`, of a record that the request created earlier (RFC 8620 §5.3). */
  | 'IdOrCreationId'
  | 'String'
  | 'Boolean'
  | 'Int'
  | 'UnsignedInt'
  | 'UTCDate'
  | 'Date'
  /** A JSON object whose members other code checks. */
  | 'Object'
  | { readonly list: DataType }
  | { readonly mapOf: DataType }
  | { readonly orNull: DataType }
  /** A set, `{ "<member>": true }`, of Ids or of keywords (RFC 8621 §4.1.1: case-insensitive, stored in lower case). */
  | { readonly setOf: 'Id' | 'Keyword' };

export type JsonObject = { readonly [name: string]: unknown };

export type ValueOf<T extends DataType> = T extends 'Id' | 'IdOrCreationId' | 'String' | 'UTCDate' | 'Date'
  ? string
  : T extends 'Boolean'
    ? boolean
    : T extends 'Int' | 'UnsignedInt'
      ? number
      : T extends 'Object'
        ? JsonObject
        : T extends { readonly list: infer E extends DataType }
          ? readonly ValueOf<E>[]
          : T extends { readonly mapOf: infer E extends DataType }
            ? { readonly [key: string]: ValueOf<E> }
            : T extends { readonly orNull: infer E extends DataType }
              ? (DataType extends E ? unknown : ValueOf<E>) | null
              : T extends { readonly setOf: string }
                ? { readonly [member: string]: true }
                : never;

const idPattern = /^[A-Za-z0-9_-]{1,255}$/;
const creationIdPattern = /^#[A-Za-z0-9_-]{1,255}$/;
/** A date: RFC 3339 with upper-case letters (RFC 8620 §1.4). */
const datePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
/** A keyword (RFC 8621 §4.1.1): 1–255 visible ASCII characters, without those that IMAP reserves. */
const keywordPattern = /^(?![\s\S]*[(){\]%*"\\])[\x21-\x7e]{1,255}$/;

/** Whether the text is a date that exists. `Date.parse` reads February 30 as March 2. */
const isDate = (text: string): boolean =>
  datePattern.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(Date.parse(`${text.slice(0, 10)}T00:00:00Z`)).toISOString().startsWith(text.slice(0, 10));

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
export const isId = (value: unknown): value is string => typeof value === 'string' && idPattern.test(value);
export const isKeyword = (value: string): boolean => keywordPattern.test(value);

const scalars: { readonly [T in Extract<DataType, string>]: (value: unknown) => boolean } = {
  Id: isId,
  IdOrCreationId: (value) => isId(value) || (typeof value === 'string' && creationIdPattern.test(value)),
  /** A text of I-JSON (RFC 7493 §2.1) has no unpaired surrogates. */
  String: (value) => typeof value === 'string' && value.isWellFormed(),
  Boolean: (value) => typeof value === 'boolean',
  Int: (value) => Number.isSafeInteger(value),
  UnsignedInt: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  UTCDate: (value) => typeof value === 'string' && value.endsWith('Z') && isDate(value),
  Date: (value) => typeof value === 'string' && isDate(value),
  Object: isObject,
};

/** Whether a decoded JSON value has the type. */
export const isOfType = <const T extends DataType>(type: T, value: unknown): value is ValueOf<T> => hasType(type, value);

const hasType = (type: DataType, value: unknown): boolean => {
  if (typeof type === 'string') return scalars[type](value);
  if ('orNull' in type) return value === null || hasType(type.orNull, value);
  if ('list' in type) return Array.isArray(value) && value.every((element) => hasType(type.list, element));
  if (!isObject(value)) return false;
  if ('mapOf' in type) return Object.values(value).every((element) => hasType(type.mapOf, element));
  const isMember = type.setOf === 'Id' ? isId : isKeyword;
  return Object.entries(value).every(([member, isIncluded]) => isIncluded === true && isMember(member));
};

/** The type's name for error descriptions, such as `Id[]|null`. */
export const typeName = (type: DataType): string => {
  if (typeof type === 'string') return type === 'IdOrCreationId' ? 'Id' : type;
  if ('orNull' in type) return `${typeName(type.orNull)}|null`;
  if ('list' in type) return `${typeName(type.list)}[]`;
  if ('mapOf' in type) return `String[${typeName(type.mapOf)}]`;
  return type.setOf === 'Id' ? 'Id[Boolean], where all values are true' : 'String[Boolean], where all keys are keywords and all values are true';
};
