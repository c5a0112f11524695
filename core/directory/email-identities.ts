import type { Table, Write } from '../storage/table.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import { readyWrite, release, reserve, type Reservation } from './reservation.ts';

/** What the provider does not know of an address. */
export type EmailIdentityRecord = { readonly email: string; readonly identity_id: string; readonly created_at: string };

/** `email-identity`/address keeps the id of a single sender address and when it was registered. */
export type EmailIdentities = {
  /** Takes the address for an identity to be made, or finds which has taken it. */
  reserve(email: string, identityId: string): Promise<Reservation>;
  /** Gives back an address that was reserved and can't be registered; nothing once it is complete. */
  release(email: string, identityId: string): Promise<void>;
  /** Makes a reserved address complete, with what is to be written also. @returns false when somebody else was faster. */
  complete(record: EmailIdentityRecord, also: readonly Write[]): Promise<boolean>;
  /** Registered anew: the provider had lost a complete address. @returns false when it is gone here too. */
  renew(record: EmailIdentityRecord, also: readonly Write[]): Promise<boolean>;
  /** The complete ones among the addresses, in one read. */
  find(emails: readonly string[]): Promise<EmailIdentityRecord[]>;
  /** Keeps an address that was registered elsewhere, or by a call that was interrupted. @returns what is kept of it. */
  adopt(record: EmailIdentityRecord): Promise<EmailIdentityRecord>;
  /** With what is to be written also; nothing else where there is none. */
  remove(email: string, also: readonly Write[]): Promise<void>;
};

const keyOf = (email: string) => ({ pk: 'email-identity', sk: email });

export const emailIdentitiesIn = (table: Table): EmailIdentities => {
  const find = async (emails: readonly string[]): Promise<EmailIdentityRecord[]> => {
    const items = await table.batchGet(emails.map(keyOf));
    return items.flatMap((item) => (item['state'] === 'ready' ? [{ email: item.sk, identity_id: item['identity_id'] as string, created_at: item['created_at'] as string }] : []));
  };
  const complete: EmailIdentities['complete'] = ({ email, identity_id: id, created_at }, also) =>
    tryWrite(table, [readyWrite(keyOf(email), 'identity_id', id, { created_at }), ...also]);
  return {
    find,
    complete,
    reserve: (email, identityId) => reserve(table, keyOf(email), 'identity_id', identityId),
    release: (email, identityId) => release(table, keyOf(email), 'identity_id', identityId),
    renew: ({ email, identity_id: id, created_at }, also) =>
      tryWrite(table, [{ update: keyOf(email), set: { created_at }, if: { equals: { identity_id: id, state: 'ready' } } }, ...also]),
    async adopt(record) {
      const { email, identity_id, created_at } = record;
      const isAdopted = await tryWrite(table, [{ put: { ...keyOf(email), identity_id, created_at, state: 'ready' }, if: [{ absent: true }, { equals: { state: 'creating' } }] }]);
      const [kept] = isAdopted ? [] : await find([email]);
      return kept ?? record;
    },
    remove: async (email, also) => void await tryWrite(table, [{ delete: keyOf(email) }, ...also]),
  };
};
