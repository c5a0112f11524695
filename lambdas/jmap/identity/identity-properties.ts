import { isObject, isOfType } from '../../../contract/jmap/data-type.ts';
import { identityLimits, type identity } from '../../../contract/jmap/identity.ts';
import type { NewProperties } from '../../../contract/jmap/record.ts';
import { parseEmailAddress } from '../../../contract/values/mail-address.ts';
import { entriesOf } from '../../../contract/values/typed-entries.ts';
import type { IdentityRecord } from '../../../core/mail/identity-type.ts';
import type { EmailAddress } from '../../../core/mime/parsed-email.ts';
import { SetError } from '../request/jmap-errors.ts';

const { maxSizeIdentityName, maxIdentityAddresses, maxSizeTextSignature, maxSizeHtmlSignature } = identityLimits;

/** The properties of an Identity that a client sets. */
export type IdentityProperties = Pick<IdentityRecord, 'name' | 'replyTo' | 'bcc' | 'textSignature' | 'htmlSignature'>;

type Given = Pick<NewProperties<typeof identity>, keyof IdentityProperties>;

/** Decodes each property into its stored form. @throws Fault */
type Decoders = { readonly [Name in keyof Given]: (value: Given[Name]) => IdentityProperties[Name] };

/** Thrown for an invalid value. The message follows the name of the property. */
class Fault extends Error {
  override readonly name = 'Fault';
}

const control = /\p{Cc}/u;

const checkSize = (text: string, maxSize: number): string => {
  if (Buffer.byteLength(text) > maxSize) throw new Fault(`may have at most ${maxSize} octets`);
  return text;
};

/** Decodes a display name. It becomes part of a header field, in which a line break would begin another field. */
const displayName = (text: string): string => {
  if (control.test(text)) throw new Fault('may not have line breaks or other control characters');
  return checkSize(text, maxSizeIdentityName);
};

/** The address with its domain as A-labels. The case of its local part is kept. */
const mailAddress = (email: string): string => {
  const address = parseEmailAddress(email);
  if (address === undefined) {
    throw new Fault('must have email addresses such as alice@example.com: letters beyond ASCII and quotes before the @ cannot be sent to');
  }
  return `${email.slice(0, email.lastIndexOf('@'))}${address.slice(address.lastIndexOf('@'))}`;
};

const decodeAddress = (value: unknown): EmailAddress => {
  if (!isObject(value) || Object.keys(value).some((key) => key !== 'name' && key !== 'email')) {
    throw new Fault('must have objects with "email", and "name" or none');
  }
  const { name = null, email } = value;
  if (!isOfType('String', email) || !isOfType({ orNull: 'String' }, name)) throw new Fault('must have addresses with String values');
  return { name: name === null ? null : displayName(name), email: mailAddress(email) };
};

const decodeAddresses = (addresses: readonly unknown[] | null): readonly EmailAddress[] | null => {
  if (addresses && addresses.length > maxIdentityAddresses) throw new Fault(`may have at most ${maxIdentityAddresses} addresses`);
  return addresses && addresses.map(decodeAddress);
};

const decoders: Decoders = {
  name: displayName,
  replyTo: decodeAddresses,
  bcc: decodeAddresses,
  textSignature: (value) => checkSize(value, maxSizeTextSignature),
  htmlSignature: (value) => checkSize(value, maxSizeHtmlSignature),
};

const decodeProperty = <Name extends keyof Given>(name: Name, value: Given[Name]): IdentityProperties[Name] => decoders[name](value);

/** Checks the values of properties. @throws SetError invalidProperties with all invalid names. */
export const decodeIdentityProperties = <G extends Partial<Given>>(given: G): { [Name in keyof G]: IdentityProperties[Name & keyof Given] } => {
  const faults = new Map<string, string>();
  const decoded = entriesOf<Partial<Given>>(given).map(([name, value]) => {
    try {
      return [name, decodeProperty(name, value)];
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      faults.set(name, fault.message);
      return [name, value];
    }
  });
  if (faults.size > 0) {
    throw new SetError('invalidProperties', `${[...faults].map(([name, fault]) => `"${name}" ${fault}`).join('; ')}.`, [...faults.keys()]);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries() has no type of the names
  return Object.fromEntries(decoded) as { [Name in keyof G]: IdentityProperties[Name & keyof Given] };
};
