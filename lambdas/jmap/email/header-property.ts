import type { HeaderField } from '../../../core/mime/header-fields.ts';
import { asAddresses, asDate, asGroupedAddresses, asMessageIds, asRaw, asText, asURLs } from '../../../core/mime/header-forms.ts';
import { MethodError } from '../request/jmap-errors.ts';

const forms = { asRaw, asText, asAddresses, asGroupedAddresses, asMessageIds, asDate, asURLs } as const satisfies {
  readonly [form: string]: (field: HeaderField) => unknown;
};
type Form = keyof typeof forms;

const isForm = (name: string): name is Form => Object.hasOwn(forms, name);

/** A property such as `header:From:asAddresses:all` (RFC 8621 §4.1.3). */
export type HeaderProperty = {
  readonly property: string;
  /** The header field's name in lower case. */
  readonly field: string;
  readonly form: Form;
  readonly all: boolean;
};

const addresses = ['asAddresses', 'asGroupedAddresses'] as const;
const fieldsWithForms = (names: string, ...allowed: readonly Form[]) => names.split(' ').map((name) => [name, allowed] as const);

/** The fields of RFC 5322 and RFC 2369 with their parsed forms. Other fields have all forms (RFC 8621 §4.1.2). */
const formsByField: ReadonlyMap<string, readonly Form[]> = new Map([
  ...fieldsWithForms('from sender reply-to to cc bcc resent-from resent-sender resent-reply-to resent-to resent-cc resent-bcc', ...addresses),
  ...fieldsWithForms('subject comments keywords', 'asText'),
  ...fieldsWithForms('message-id in-reply-to references resent-message-id', 'asMessageIds'),
  ...fieldsWithForms('date resent-date', 'asDate'),
  ...fieldsWithForms('list-help list-unsubscribe list-subscribe list-post list-owner list-archive', 'asURLs'),
  ...fieldsWithForms('return-path received'),
]);

/**
 * Parses a header property. @throws MethodError invalidArguments for a malformed property, or a form that the field
 * does not have.
 */
export const parseHeaderProperty = (property: string): HeaderProperty => {
  const [, name = '', form = 'asRaw', all] = /^header:([!-9;-~]+?)(?::(as[A-Za-z]+))?(:all)?$/.exec(property) ?? [];
  if (name === '' || !isForm(form)) {
    throw new MethodError('invalidArguments', `${JSON.stringify(property)} is not a valid header property.`);
  }
  const field = name.toLowerCase();
  const allowed = formsByField.get(field);
  if (form !== 'asRaw' && allowed && !allowed.includes(form)) {
    throw new MethodError('invalidArguments', `The header field ${name} does not have the form ${form}.`);
  }
  return { property, field, form: form, all: all !== undefined };
};

/** A parsed header block: its fields by lower-case name, and values that were computed from them. */
type HeaderLookup = { readonly byName: ReadonlyMap<string, readonly HeaderField[]>; readonly values: Map<string, unknown> };

/** The lookup of each header block that is in memory. */
const lookups = new WeakMap<readonly HeaderField[], HeaderLookup>();

const lookupOf = (fields: readonly HeaderField[]): HeaderLookup => {
  const lookup = lookups.get(fields) ?? { byName: Map.groupBy(fields, ({ name }) => name.toLowerCase()), values: new Map() };
  lookups.set(fields, lookup);
  return lookup;
};

/** The last instance of the field or null; with `:all`, all instances (RFC 8621 §4.1.3). Each form is parsed once. */
export const headerValue = ({ field, form, all }: HeaderProperty, fields: readonly HeaderField[]): unknown => {
  const { byName, values } = lookupOf(fields);
  const instances = byName.get(field) ?? [];
  const key = `${field}:${form}:${all}`;
  if (!values.has(key)) {
    const last = instances.at(-1);
    values.set(key, all ? instances.map((instance) => forms[form](instance)) : last ? forms[form](last) : null);
  }
  return values.get(key);
};
