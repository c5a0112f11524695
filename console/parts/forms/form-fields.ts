import { messageDescription, methodDescriptions, type FieldDescription } from '../../../contract/reference/description.ts';

/** The values of a form by the path of the field: `ses_sending_limit.use_case`. */
export type Values = { readonly [path: string]: unknown };

export type FormField = FieldDescription & { readonly path: string };

/** The fields of a message of the request are fields of the form. */
const withParts = (field: FieldDescription): FormField[] =>
  field.kind === 'message' && !field.repeated && field.type
    ? messageDescription(field.type).fields.map((part) => ({ ...part, path: `${field.name}.${part.name}` }))
    : [{ ...field, path: field.name }];

/** The fields of a method's request. A field of a message is named by its path. */
export const requestFields = (service: string, method: string): readonly FormField[] =>
  (methodDescriptions().find((one) => one.service === service && one.name === method)?.request ?? []).flatMap(withParts);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A field's value as the request needs it: digits become a number when the field is a number. */
const valueOf = ({ kind }: FormField, value: unknown): unknown =>
  (kind === 'integer' || kind === 'number') && typeof value === 'string' && value.trim() !== '' ? Number(value) : value;

/** The fields that were filled in or changed. An emptied field is sent as an empty text, which removes the value. */
export const requestFrom = (values: Values, initial: Values, fields: readonly FormField[]): Record<string, unknown> => {
  const request: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.path];
    if (value === undefined || isSame(value, initial[field.path]) || (value === '' && initial[field.path] === undefined)) continue;
    const [message = '', part] = field.path.split('.');
    const given = request[message];
    if (part === undefined) request[message] = valueOf(field, value);
    else request[message] = { ...(typeof given === 'object' ? given : undefined), [part]: valueOf(field, value) };
  }
  return request;
};

/** Whether a form has unsaved changes. */
export const hasChanges = (values: Values, initial: Values): boolean =>
  Object.entries(values).some(([path, value]) => !isSame(value ?? '', initial[path] ?? ''));

/** The initial values of a form, from the values of an object. */
export const initialValues = (object: object, fields: readonly string[]): Values =>
  Object.fromEntries(fields.map((field) => [field, Reflect.get(object, field)]));
