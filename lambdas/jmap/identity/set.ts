import { identityLimits, type identity } from '../../../contract/jmap/identity.ts';
import { parseEmailAddress } from '../../../contract/values/mail-address.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { changedIdentity, identitiesOf, isMadeByServer, mayNotSendFrom, storedIdentitiesOf, type IdentityRecord } from '../../../core/mail/identity-type.ts';
import type { AccountChangeSet, BehaviourOf } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import { toIdentity } from './get.ts';
import { decodeIdentityProperties } from './identity-properties.ts';

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
