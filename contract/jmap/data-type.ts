/**
 * JMAP's data types (RFC 8620 §1) as values, so that arguments, properties and filter conditions can be written down as data, checked by
 * {@link isOfType} and typed by {@link ValueOf}.
 */
export type DataType =
  | 'Id'
  /** An Id, or `#` and the creation id of a record made earlier in the request (RFC 8620 §5.3). */
  | 'IdOrCreationId'
  | 'String'
  | 'Boolean'
  | 'Int'
  | 'UnsignedInt'
  | 'UTCDate'
  | 'Date'
  /** A JSON object whose content is judged elsewhere. */
  | 'Object'
  | { readonly list: DataType }
  | { readonly mapOf: DataType }
  | { readonly orNull: DataType }
  /** A set as JMAP writes it, `{ "<member>": true }`: of Ids, or of keywords (RFC 8621 §4.1.1; any case, read as lower case). */
  | { readonly setOf: 'Id' | 'Keyword' };

export type JsonObject = { readonly [name: string]: unknown };

export type ValueOf<T extends DataType> =
  T extends 'Id' | 'IdOrCreationId' | 'String' | 'UTCDate' | 'Date' ? string
    : T extends 'Boolean' ? boolean
      : T extends 'Int' | 'UnsignedInt' ? number
        : T extends 'Object' ? JsonObject
          : T extends { readonly list: infer E extends DataType } ? readonly ValueOf<E>[]
            : T extends { readonly mapOf: infer E extends DataType } ? { readonly [key: string]: ValueOf<E> }
              : T extends { readonly orNull: infer E extends DataType } ? ValueOf<E> | null
                : T extends { readonly setOf: string } ? { readonly [member: string]: true }
                  : never;

const idForm = /^[A-Za-z0-9_-]{1,255}$/;
const creationIdForm = /^#[A-Za-z0-9_-]{1,255}$/;
/** RFC 3339 with upper-case letters (RFC 8620 §1.4); the calendar decides the rest. */
const dateForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
/** RFC 8621 §4.1.1: 1–255 visible characters of ASCII that IMAP has no other use for. */
const keywordForm = /^(?![\s\S]*[(){\]%*"\\])[\x21-\x7e]{1,255}$/;

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
export const isId = (value: unknown): value is string => typeof value === 'string' && idForm.test(value);
export const isKeyword = (value: string): boolean => keywordForm.test(value);

const scalars: { readonly [T in Extract<DataType, string>]: (value: unknown) => boolean } = {
  Id: isId,
  IdOrCreationId: (value) => isId(value) || (typeof value === 'string' && creationIdForm.test(value)),
  /** I-JSON (RFC 7493 §2.1): no half of a surrogate pair. */
  String: (value) => typeof value === 'string' && value.isWellFormed(),
  Boolean: (value) => typeof value === 'boolean',
  Int: (value) => Number.isSafeInteger(value),
  UnsignedInt: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  UTCDate: (value) => typeof value === 'string' && value.endsWith('Z') && dateForm.test(value) && !Number.isNaN(Date.parse(value)),
  Date: (value) => typeof value === 'string' && dateForm.test(value) && !Number.isNaN(Date.parse(value)),
  Object: isObject,
};

/** Whether a decoded JSON value is of the type. */
export const isOfType = (type: DataType, value: unknown): boolean => {
  if (typeof type === 'string') return scalars[type](value);
  if ('orNull' in type) return value === null || isOfType(type.orNull, value);
  if ('list' in type) return Array.isArray(value) && value.every((element) => isOfType(type.list, element));
  if (!isObject(value)) return false;
  if ('mapOf' in type) return Object.values(value).every((element) => isOfType(type.mapOf, element));
  const isMember = type.setOf === 'Id' ? isId : isKeyword;
  return Object.entries(value).every(([member, holds]) => holds === true && isMember(member));
};

/** The type in words, as an error may show it: `Id[]|null`. */
export const typeName = (type: DataType): string => {
  if (typeof type === 'string') return type === 'IdOrCreationId' ? 'Id' : type;
  if ('orNull' in type) return `${typeName(type.orNull)}|null`;
  if ('list' in type) return `${typeName(type.list)}[]`;
  if ('mapOf' in type) return `String[${typeName(type.mapOf)}]`;
  return type.setOf === 'Id' ? 'Id[Boolean], true only' : 'String[Boolean], keywords, true only';
};
