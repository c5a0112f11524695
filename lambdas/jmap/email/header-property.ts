import type { HeaderField } from '../../../core/mime/header-fields.ts';
import { asAddresses, asDate, asGroupedAddresses, asMessageIds, asRaw, asText, asURLs } from '../../../core/mime/header-forms.ts';
import { MethodError } from '../protocol/errors.ts';

const forms = { asRaw, asText, asAddresses, asGroupedAddresses, asMessageIds, asDate, asURLs } as const satisfies { readonly [form: string]: (field: HeaderField) => unknown };
type Form = keyof typeof forms;

/** A property such as `header:From:asAddresses:all` (RFC 8621 §4.1.3). */
export type HeaderProperty = { readonly property: string; /** In lower case. */ readonly field: string; readonly form: Form; readonly all: boolean };

const addresses = ['asAddresses', 'asGroupedAddresses'] as const;
const listed = (names: string, ...allowed: readonly Form[]) => names.split(' ').map((name) => [name, allowed] as const);

/** The fields of RFC 5322 and RFC 2369 and the parsed forms each may be asked for in; any other field may be asked for in every form (RFC 8621 §4.1.2). */
const formsOf: ReadonlyMap<string, readonly Form[]> = new Map([
  ...listed('from sender reply-to to cc bcc resent-from resent-sender resent-reply-to resent-to resent-cc resent-bcc', ...addresses),
  ...listed('subject comments keywords list-id', 'asText'),
  ...listed('message-id in-reply-to references resent-message-id', 'asMessageIds'),
  ...listed('date resent-date', 'asDate'),
  ...listed('list-help list-unsubscribe list-subscribe list-post list-owner list-archive', 'asURLs'),
  ...listed('return-path received'),
]);

/** @throws MethodError invalidArguments when it is no such property, or asks for a form that this field can't take. */
export const parseHeaderProperty = (property: string): HeaderProperty => {
  const [, name = '', form = 'asRaw', all] = /^header:([!-9;-~]+?)(?::(as[A-Za-z]+))?(:all)?$/.exec(property) ?? [];
  if (name === '' || !Object.hasOwn(forms, form)) throw new MethodError('invalidArguments', `${JSON.stringify(property)} is no form of a header field.`);
  const field = name.toLowerCase();
  const allowed = formsOf.get(field);
  if (form !== 'asRaw' && allowed && !allowed.includes(form as Form)) throw new MethodError('invalidArguments', `The header field ${name} has no form ${form}.`);
  return { property, field, form: form as Form, all: all !== undefined };
};

/** Its value: of the last instance of the field, null without one; of all instances with `:all`. */
export const headerValue = ({ field, form, all }: HeaderProperty, fields: readonly HeaderField[]): unknown => {
  const instances = fields.filter(({ name }) => name.toLowerCase() === field);
  if (all) return instances.map((instance) => forms[form](instance));
  const last = instances.at(-1);
  return last ? forms[form](last) : null;
};
