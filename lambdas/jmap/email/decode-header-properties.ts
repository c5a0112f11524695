import { isObject, isOfType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { EmailAddressGroup } from '../../../core/mime/address-list.ts';
import { composeField, UnwritableValue, type ComposedField, type HeaderValue } from '../../../core/mime/compose/compose-header-field.ts';
import type { EmailAddress } from '../../../core/mime/parsed-email.ts';
import { MethodError } from '../request/jmap-errors.ts';
import { parseHeaderProperty, type HeaderProperty } from './header-property.ts';
import { memberPath, type InvalidProperties } from './invalid-properties.ts';

/** The header field of each property of an Email that represents one (RFC 8621 §4.1.3). */
const namedHeaders: { readonly [property: string]: { readonly name: string; readonly form: HeaderValue['form'] } } = {
  messageId: { name: 'Message-ID', form: 'asMessageIds' },
  inReplyTo: { name: 'In-Reply-To', form: 'asMessageIds' },
  references: { name: 'References', form: 'asMessageIds' },
  sender: { name: 'Sender', form: 'asAddresses' },
  from: { name: 'From', form: 'asAddresses' },
  to: { name: 'To', form: 'asAddresses' },
  cc: { name: 'Cc', form: 'asAddresses' },
  bcc: { name: 'Bcc', form: 'asAddresses' },
  replyTo: { name: 'Reply-To', form: 'asAddresses' },
  subject: { name: 'Subject', form: 'asText' },
  sentAt: { name: 'Date', form: 'asDate' },
};

/** The header field of a property of EmailBodyPart (RFC 8621 §4.1.4). */
export const partFieldOf: { readonly [property: string]: string } = {
  type: 'content-type',
  charset: 'content-type',
  disposition: 'content-disposition',
  name: 'content-disposition',
  cid: 'content-id',
  language: 'content-language',
  location: 'content-location',
};

/** A decoded property that sets header fields. */
export type HeaderSetting = {
  /** The path of the property. */
  readonly path: string;
  /** The field's name in lower case. */
  readonly field: string;
  /** The field's name in the client's letter case. */
  readonly name: string;
  readonly form: HeaderValue['form'];
  readonly all: boolean;
  readonly value: unknown;
};

const isAddress = (value: unknown): value is Partial<EmailAddress> & { readonly email: string } =>
  isObject(value) &&
  isOfType('String', value['email']) &&
  isOfType({ orNull: 'String' }, value['name'] ?? null) &&
  Object.keys(value).every((key) => key === 'name' || key === 'email');
const isGroup = (value: unknown): value is Partial<EmailAddressGroup> =>
  isObject(value) &&
  isOfType({ orNull: 'String' }, value['name'] ?? null) &&
  Array.isArray(value['addresses']) &&
  value['addresses'].every(isAddress) &&
  Object.keys(value).every((key) => key === 'name' || key === 'addresses');

const toAddress = ({ name = null, email }: Partial<EmailAddress>): EmailAddress => ({ name, email: email! });

/** The value of a header field, decoded from a JSON value in that form. Undefined for a JSON value of another type. */
const decodeForm = (form: HeaderValue['form'], value: unknown): HeaderValue | undefined => {
  if (form === 'asRaw' || form === 'asText') return isOfType('String', value) ? { form, value } : undefined;
  if (form === 'asDate') return isOfType('Date', value) ? { form, value } : undefined;
  if (!Array.isArray(value)) return undefined;
  if (form === 'asAddresses') return value.every(isAddress) ? { form, value: value.map(toAddress) } : undefined;
  if (form === 'asGroupedAddresses') {
    return value.every(isGroup) ? { form, value: value.map(({ name = null, addresses }) => ({ name, addresses: addresses!.map(toAddress) })) } : undefined;
  }
  return isOfType({ list: 'String' }, value) ? { form, value } : undefined;
};

const typeOfForm: { readonly [F in HeaderValue['form']]: string } = {
  asRaw: 'a String',
  asText: 'a String',
  asDate: 'a Date',
  asAddresses: 'an EmailAddress[]',
  asGroupedAddresses: 'an EmailAddressGroup[]',
  asMessageIds: 'a String[]',
  asURLs: 'a String[]',
};

/** Decodes the properties that set header fields. @param path the path of the part; empty for the Email. */
export const headerSettings = (given: JsonObject, path: string, invalid: InvalidProperties): readonly HeaderSetting[] =>
  Object.entries(given).flatMap(([property, value]): HeaderSetting[] => {
    const propertyPath = memberPath(path, property);
    const named = path === '' && Object.hasOwn(namedHeaders, property) ? namedHeaders[property] : undefined;
    if (named) return [{ path: propertyPath, field: named.name.toLowerCase(), ...named, all: false, value }];
    if (!property.startsWith('header:')) return [];
    try {
      const { field, form, all }: HeaderProperty = parseHeaderProperty(property);
      return [{ path: propertyPath, field, name: property.split(':', 2)[1]!, form, all, value }];
    } catch (failure) {
      if (!(failure instanceof MethodError)) throw failure;
      invalid.add(propertyPath, 'it is not a header property, or the header field does not have this form');
      return [];
    }
  });

/**
 * Refuses a second property for the same header field (RFC 8621 §4.6). @param taken the settings by field; new ones are
 * added.
 */
export const checkFieldsOnce = (settings: readonly HeaderSetting[], taken: Map<string, string>, invalid: InvalidProperties): void => {
  for (const { field, path } of settings) {
    const other = taken.get(field);
    if (other !== undefined && other !== path) invalid.add(path, `${other} sets the same header field`);
    else taken.set(field, path);
  }
};

/** The header fields of one property: none for null, and with `:all` one for each element. */
export const composeSetting = ({ path, name, form, all, value }: HeaderSetting, invalid: InvalidProperties): readonly ComposedField[] => {
  if (value === null && !all) return [];
  const values = all ? value : [value];
  if (!Array.isArray(values)) {
    invalid.add(path, 'it must be a list');
    return [];
  }
  return values.flatMap((each: unknown) => {
    const decoded = decodeForm(form, each);
    if (!decoded) invalid.add(path, `${all ? 'each element' : 'it'} must be ${typeOfForm[form]}`);
    if (!decoded) return [];
    try {
      return composeField(name, decoded) ?? [];
    } catch (failure) {
      if (!(failure instanceof UnwritableValue)) throw failure;
      invalid.add(path, failure.message);
      return [];
    }
  });
};
