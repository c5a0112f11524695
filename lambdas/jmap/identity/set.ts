import { isObject, isOfType } from '../../../contract/jmap/data-type.ts';
import { identityLimits, type identity } from '../../../contract/jmap/identity.ts';
import type { NewProperties } from '../../../contract/jmap/record.ts';
import { parseEmailAddress } from '../../../contract/values/mail-address.ts';
import { entriesOf } from '../../../contract/values/typed-entries.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { changedIdentity, identitiesOf, isMadeByServer, mayNotSendFrom, storedIdentitiesOf, type IdentityRecord } from '../../../core/mail/identity-type.ts';
import type { EmailAddress } from '../../../core/mime/parsed-email.ts';
import type { AccountChangeSet, BehaviourOf } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import { toIdentity } from './get.ts';

const { maxSizeIdentityName, maxIdentityAddresses, maxSizeTextSignature, maxSizeHtmlSignature } = identityLimits;

/** The properties of an Identity that a client sets. */
type IdentityProperties = Pick<IdentityRecord, 'name' | 'replyTo' | 'bcc' | 'textSignature' | 'htmlSignature'>;

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
const decodeIdentityProperties = <G extends Partial<Given>>(given: G): { [Name in keyof G]: IdentityProperties[Name & keyof Given] } => {
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

const { maxIdentities, maxSizeSignatures } = identityLimits;

const signatureSize = ({ textSignature, htmlSignature }: IdentityRecord): number => Buffer.byteLength(textSignature) + Buffer.byteLength(htmlSignature);

/** The Identities that the server created, by e-mail address. */
const byAddress = (identities: Iterable<IdentityRecord>): ReadonlyMap<string, IdentityRecord> =>
  new Map([...identities].filter(isMadeByServer).map((record) => [record.email, record]));

/** Counts the properties whose limit applies to all Identities of an account together. */
class IdentityRoom {
  #clientMade = 0;
  #octets = 0;

  constructor(stored: Iterable<IdentityRecord>) {
    for (const record of stored) this.#add(record, 1);
  }

  #add(record: IdentityRecord, count: 1 | -1): void {
    if (!isMadeByServer(record)) this.#clientMade += count;
    this.#octets += count * signatureSize(record);
  }

  /** Counts a record's size and subtracts the size of its former state. @throws SetError overQuota */
  take(record: IdentityRecord, before: IdentityRecord | undefined): void {
    const isLarger = signatureSize(record) > (before ? signatureSize(before) : 0);
    if (!before && this.#clientMade >= maxIdentities) {
      throw new SetError('overQuota', `Clients may make at most ${maxIdentities} Identities of an account. Destroy one, then try again.`);
    }
    if (isLarger && this.#octets + signatureSize(record) - (before ? signatureSize(before) : 0) > maxSizeSignatures) {
      throw new SetError('overQuota', `All signatures of an account may have at most ${maxSizeSignatures} octets. Shorten one, then try again.`);
    }
    if (before) this.release(before);
    this.#add(record, 1);
  }

  release(record: IdentityRecord): void {
    this.#add(record, -1);
  }
}

const identityChangeSet = (view: AccountView): AccountChangeSet<typeof identity> => {
  const visible = new Map(identitiesOf(view));
  const own = byAddress(visible.values());
  const room = new IdentityRoom(storedIdentitiesOf(view).all());
  const put = new Map<string, IdentityRecord>();
  const destroyed = new Set<string>();
  const putRecord = (record: IdentityRecord) => {
    const before = visible.get(record.id);
    if (before === record) return;
    room.take(record, before);
    visible.set(record.id, record);
    put.set(record.id, record);
  };
  return {
    current: (id) => {
      const record = visible.get(id);
      return record && toIdentity(record);
    },
    create: (id, { email, ...properties }) => {
      const ofAddress = own.get(parseEmailAddress(email) ?? '');
      if (!ofAddress) throw mayNotSendFrom();
      const { aliasId, email: address, maySend } = ofAddress;
      putRecord({ id, aliasId, email: address, maySend, ...decodeIdentityProperties(properties), version: 1 });
    },
    update: (id, changed) => putRecord(changedIdentity(visible.get(id)!, decodeIdentityProperties(changed))),
    destroy: (id) => {
      const record = visible.get(id)!;
      if (isMadeByServer(record)) {
        throw new SetError('forbidden', 'The server made this Identity for an address of the account. It exists while the address may send.');
      }
      room.release(record);
      visible.delete(id);
      put.delete(id);
      if (storedIdentitiesOf(view).has(id)) destroyed.add(id);
    },
    commit: () => (put.size + destroyed.size === 0 ? undefined : { records: { Identity: { put: [...put.values()], destroy: [...destroyed] } } }),
  };
};

/** Identity/set (RFC 8621 §6.3). */
export const identitySet: BehaviourOf<typeof identity>['set'] = { prepareChangeSet: () => Promise.resolve({ beginChangeSet: identityChangeSet }) };
