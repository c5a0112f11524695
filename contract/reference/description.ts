import { services, type ServiceName } from '../admin/index.ts';
import { commonErrors, type Service } from '../rpc/rpc.ts';
import { entriesOf } from '../values/typed-entries.ts';
import { openApiDocument } from './openapi.ts';

/** A description of the admin API for people, from which the reference page and the command line's help are made. */

export type FieldKind = 'text' | 'timestamp' | 'integer' | 'number' | 'boolean' | 'enum' | 'map' | 'message';

export type FieldDescription = {
  readonly name: string;
  readonly kind: FieldKind;
  /** Whether the field is a list of values of that kind. */
  readonly repeated: boolean;
  readonly required: boolean;
  readonly default: unknown;
  /** The values of an enum; empty for other kinds. */
  readonly values: readonly string[];
  /** Name of the message or enum, if it has one. */
  readonly type: string | undefined;
  /** The limits in words, such as `1 to 100` or `at most 253 characters`; empty when there are none. */
  readonly limits: string;
};

export type MessageDescription = { readonly name: string; readonly fields: readonly FieldDescription[] };

export type MethodDescription = {
  readonly service: ServiceName;
  readonly name: string;
  readonly summary: string;
  readonly request: readonly FieldDescription[];
  readonly response: readonly FieldDescription[];
  /** Error codes beyond those of every method. */
  readonly errors: readonly string[];
  readonly aliasOf: string | undefined;
  readonly changes: boolean;
  /** The roles of admins that may call the method beside ALL. */
  readonly roles: readonly string[];
};

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
};

const reference = '#/components/schemas/';

/** Makes a value on its first use, so that a web page need not wait for the schemas of all methods. */
const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

const schemas = once((): { readonly [name: string]: Schema } => openApiDocument({ url: '', version: '' }).components.schemas);

const limitsOf = ({ minimum, maximum, multipleOf, minLength, maxLength, maxItems }: Schema): string =>
  [
    minimum !== undefined && maximum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? `${minimum} to ${maximum}` : '',
    multipleOf === undefined ? '' : `a multiple of ${multipleOf}`,
    maxLength === undefined ? '' : minLength ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`,
    maxItems === undefined ? '' : `at most ${maxItems} items`,
  ]
    .filter(Boolean)
    .join(', ');

const kindOf = ({ enum: values, type, format, properties }: Schema): FieldKind => {
  if (values) return 'enum';
  if (type === 'object') return properties ? 'message' : 'map';
  if (type === 'string') return format === 'date-time' ? 'timestamp' : 'text';
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : 'text';
};

const fieldOf = (name: string, fieldSchema: Schema, required: boolean): FieldDescription => {
  const repeated = fieldSchema.type === 'array';
  const { $ref, ...item } = (repeated ? fieldSchema.items : fieldSchema) ?? {};
  const type = $ref?.slice(reference.length);
  const schema = type === undefined ? item : (schemas()[type] ?? item);
  const limits = [repeated ? limitsOf({ maxItems: fieldSchema.maxItems }) : '', limitsOf(schema)].filter(Boolean).join('; each ');
  return { name, kind: kindOf(schema), repeated, required, default: fieldSchema.default, values: schema.enum ?? [], type, limits };
};

const fieldsOf = (name: string): FieldDescription[] => {
  const { properties = {}, required = [] } = schemas()[name] ?? {};
  return Object.entries(properties).map(([field, schema]) => fieldOf(field, schema, required.includes(field)));
};

/** Every method of every service, in the order of the contract. */
export const methodDescriptions = once((): readonly MethodDescription[] =>
  entriesOf<{ readonly [Name in ServiceName]: Service }>(services).flatMap(([service, { methods }]) =>
    Object.entries(methods).map(([name, { summary, errors, aliasOf, changes, roles }]) => ({
      service,
      name,
      summary,
      request: fieldsOf(`${name}Request`),
      response: fieldsOf(`${name}Response`),
      errors: errors.filter((code) => !(commonErrors as readonly string[]).includes(code)),
      aliasOf,
      changes,
      roles,
    })),
  ),
);

/** A message or enum by its name. @returns no fields for an enum. */
export const messageDescription = (name: string): MessageDescription => ({ name, fields: fieldsOf(name) });

/** Every message inside requests and responses, by name. */
export const messageDescriptions = (): readonly MessageDescription[] =>
  Object.keys(schemas())
    .filter((name) => schemas()[name]?.properties)
    .filter((name) => !methodDescriptions().some((method) => name === `${method.name}Request` || name === `${method.name}Response`))
    .map(messageDescription);

/** Every enum that has a name. */
export const enumDescriptions = (): readonly { readonly name: string; readonly values: readonly string[] }[] =>
  Object.entries(schemas()).flatMap(([name, { enum: values }]) => (values ? [{ name, values }] : []));

const kindWords: { readonly [Kind in FieldKind]: string } = {
  text: 'text',
  timestamp: 'RFC 3339 timestamp',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  enum: 'one of',
  map: 'texts by name',
  message: 'JSON',
};

/** The type of a field in words: `whole number`, `list of AccountRole`. */
export const typeInWords = ({ kind, type, repeated, values }: FieldDescription): string => {
  const one = type ?? (kind === 'enum' ? values.join(' | ') : kindWords[kind]);
  return repeated ? `list of ${one}` : one;
};
