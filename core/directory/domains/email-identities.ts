import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import { rowOf, type Table, type Write } from '../../storage/table.ts';
import { readyWrite, release, reserve, type Reservation } from '../reservation.ts';

/** The stored data of a sender address, which the provider does not have. */
export type EmailIdentityRecord = { readonly email: string; readonly identity_id: string; readonly created_at: string };

/** Sender addresses. The item `email-identity`/address has the id of the identity and the time of its registration. */
export type EmailIdentities = {
  /** Reserves the address for a new identity, or finds the existing reservation. */
  reserve(email: string, identityId: string): Promise<Reservation>;
  /** Releases a reserved address that can't be registered. It does nothing if the address is complete. */
  release(email: string, identityId: string): Promise<void>;
  /** Completes a reserved address, with the additional writes. @returns false if another call completed it. */
  complete(record: EmailIdentityRecord, additionalWrites: readonly Write[]): Promise<boolean>;
  /** Stores a new registration of a complete address. @returns false if the address was deleted in the meantime. */
  renew(record: EmailIdentityRecord, additionalWrites: readonly Write[]): Promise<boolean>;
  /** Finds the complete addresses, in one read. */
  find(emails: readonly string[]): Promise<EmailIdentityRecord[]>;
  /** Stores an address that was registered elsewhere or by an interrupted call. @returns the stored record. */
  adopt(record: EmailIdentityRecord): Promise<EmailIdentityRecord>;
  /** Deletes an address, if it exists, and makes the additional writes. */
  remove(email: string, additionalWrites: readonly Write[]): Promise<void>;
};

const keyOf = directoryKeys.emailIdentity;
const identityRow = rowOf<Omit<EmailIdentityRecord, 'email'>>;

export const emailIdentitiesIn = (table: Table): EmailIdentities => {
  const find = async (emails: readonly string[]): Promise<EmailIdentityRecord[]> => {
    const items = await table.batchGet(emails.map(keyOf));
    return items
      .filter((item) => item['state'] === 'ready')
      .map((item) => {
        const { identity_id, created_at } = identityRow(item);
        return { email: item.sk, identity_id, created_at };
      });
  };
  const complete: EmailIdentities['complete'] = ({ email, identity_id: id, created_at }, additionalWrites) =>
    tryWrite(table, [readyWrite(keyOf(email), 'identity_id', id, { created_at }), ...additionalWrites]);
  return {
    find,
    complete,
    reserve: (email, identityId) => reserve(table, keyOf(email), 'identity_id', identityId),
    release: (email, identityId) => release(table, keyOf(email), 'identity_id', identityId),
    renew: ({ email, identity_id: id, created_at }, additionalWrites) =>
      tryWrite(table, [{ update: keyOf(email), set: { created_at }, if: { equals: { identity_id: id, state: 'ready' } } }, ...additionalWrites]),
    async adopt(record) {
      const { email, identity_id, created_at } = record;
      const isAdopted = await tryWrite(table, [
        { put: { ...keyOf(email), identity_id, created_at, state: 'ready' }, if: [{ absent: true }, { equals: { state: 'creating' } }] },
      ]);
      const [stored] = isAdopted ? [] : await find([email]);
      return stored ?? record;
    },
    remove: async (email, additionalWrites) => void (await tryWrite(table, [{ delete: keyOf(email) }, ...additionalWrites])),
  };
};
