import type { Alias } from '../../contract/admin/aliases.ts';
import { accountPartitions } from '../../contract/deployment/keys.ts';
import { identity } from '../../contract/jmap/identity.ts';
import { recordKey } from '../account-log/keys.ts';
import { changesOf, type LogEntry } from '../account-log/log-entry.ts';
import { isSameRecord, mergeProperties } from '../account-log/records/merge-records.ts';
import { recordCodec } from '../account-log/records/record-codec.ts';
import { RecordRefused } from '../account-log/records/record-refused.ts';
import { indexOfRecords, RecordMap, type Indexes, type RecordEvent, type RecordIndex, type StoredType } from '../account-log/records/stored-type.ts';
import type { EmailAddress } from '../mime/parsed-email.ts';
import type { Item, Key } from '../storage/table.ts';

/**
 * A stored Identity. The server creates one for each alias, with the alias's id. A client may create more Identities
 * for the address of an alias. While the alias may not send, its Identities are hidden from clients, but kept.
 */
export type IdentityRecord = {
  readonly id: string;
  readonly aliasId: string;
  /** The address in lower case, its domain as A-labels. */
  readonly email: string;
  /** Whether the alias may send. Used only in the Identity that the server created. */
  readonly maySend: boolean;
  readonly name: string;
  readonly replyTo: readonly EmailAddress[] | null;
  readonly bcc: readonly EmailAddress[] | null;
  readonly textSignature: string;
  readonly htmlSignature: string;
  /** The number of changes. A writer without the account's index detects another change by it. */
  readonly version: number;
};

/** The record with changed properties; the same object when the properties are equal. */
export const changedIdentity = (record: IdentityRecord, changes: Partial<Omit<IdentityRecord, 'id' | 'version'>>): IdentityRecord => {
  const changed = { ...record, ...changes };
  return isSameRecord(record, changed) ? record : { ...changed, version: record.version + 1 };
};

/** Whether the server created the Identity. No client may destroy such an Identity. */
export const isMadeByServer = ({ id, aliasId }: Pick<IdentityRecord, 'id' | 'aliasId'>): boolean => id === aliasId;

/** The properties of an alias that determine its Identity. */
export type SenderAlias = Pick<Alias, 'alias_id' | 'email' | 'name' | 'reply_to' | 'bcc'>;

const addressOf = (email: string | undefined): IdentityRecord['replyTo'] => (email === undefined ? null : [{ name: null, email }]);

/** The properties of an Identity that its alias sets. */
export const aliasProperties = ({ name, reply_to: replyTo, bcc }: SenderAlias): Pick<IdentityRecord, 'name' | 'replyTo' | 'bcc'> => ({
  name: name ?? '',
  replyTo: addressOf(replyTo),
  bcc: addressOf(bcc),
});

/** The Identity that the server creates for an alias. */
export const identityOfAlias = (alias: SenderAlias, maySend: boolean): IdentityRecord => ({
  id: alias.alias_id,
  aliasId: alias.alias_id,
  email: alias.email,
  maySend,
  ...aliasProperties(alias),
  textSignature: '',
  htmlSignature: '',
  version: 1,
});

type IdentityIndex = RecordIndex<IdentityRecord>;

/** The properties that decide whether clients see an Identity. */
type Visibility = Pick<IdentityRecord, 'id' | 'aliasId' | 'maySend'>;

/** Whether clients see the Identity, because its alias may send. */
const isVisible = ({ aliasId }: Pick<IdentityRecord, 'aliasId'>, find: (id: string) => Visibility | undefined): boolean => find(aliasId)?.maySend ?? false;

const codec = recordCodec<IdentityRecord>({
  name: identity.name,
  encode: ({ id: _id, ...attributes }) => attributes,
  decode: (id, { aliasId, email, maySend, name, replyTo, bcc, textSignature, htmlSignature, version }) => ({
    id,
    aliasId,
    email,
    maySend,
    name,
    replyTo,
    bcc,
    textSignature,
    htmlSignature,
    version,
  }),
});

/** The properties of an Identity before a change that the log stores. */
type IdentityBefore = Pick<IdentityRecord, 'maySend'> & { readonly aliasId?: string };

/** The Identities before a commit, derived from those after it. */
const beforeCommit = (after: ReadonlyMap<string, Visibility>, entry: LogEntry): ReadonlyMap<string, Visibility> => {
  const { created, updated, destroyed } = changesOf<IdentityRecord, IdentityBefore>(entry, identity);
  const before = new Map(after);
  for (const { id } of created) before.delete(id);
  for (const { record, before: kept } of updated) before.set(record.id, { ...record, ...kept });
  for (const { id, before: kept } of destroyed) before.set(id, { id, maySend: kept!.maySend, aliasId: kept!.aliasId! });
  return before;
};

/** The ids of the Identities that the commit wrote, and of other Identities for the same aliases. */
const touchedIds = (entry: LogEntry, before: ReadonlyMap<string, Visibility>, after: ReadonlyMap<string, Visibility>): ReadonlySet<string> => {
  const { created, updated, destroyed } = changesOf<IdentityRecord>(entry, identity);
  const written = [...created.map(({ id }) => id), ...updated.map(({ record }) => record.id), ...destroyed.map(({ id }) => id)];
  const others = [...before.values(), ...after.values()].filter(({ aliasId }) => written.includes(aliasId)).map(({ id }) => id);
  return new Set([...written, ...others]);
};

/** The changes of a commit to the Identities that clients see. */
const eventsOf = (entry: LogEntry, before: ReadonlyMap<string, Visibility>, after: ReadonlyMap<string, Visibility>): RecordEvent[] => {
  const updated = new Set(changesOf<IdentityRecord>(entry, identity).updated.map(({ record }) => record.id));
  const isSeen = (identities: ReadonlyMap<string, Visibility>, id: string) =>
    identities.has(id) && isVisible(identities.get(id)!, (each) => identities.get(each));
  return [...touchedIds(entry, before, after)].flatMap((id): RecordEvent[] => {
    const [was, is] = [isSeen(before, id), isSeen(after, id)];
    if (was !== is) return [{ id, kind: is ? 'created' : 'destroyed' }];
    return is && updated.has(id) ? [{ id, kind: 'updated' }] : [];
  });
};

/** The events of Identities. The Identities at each commit are derived backwards from the newest commit. */
const identityEvents = (entries: readonly LogEntry[], indexes: Indexes): readonly (readonly RecordEvent[])[] => {
  let after: ReadonlyMap<string, Visibility> = new Map(
    storedIdentitiesOf(indexes)
      .all()
      .map((record) => [record.id, record]),
  );
  return entries
    .toReversed()
    .map((entry) => {
      if (!entry.changes[identity.name]) return [];
      const before = beforeCommit(after, entry);
      const events = eventsOf(entry, before, after);
      after = before;
      return events;
    })
    .toReversed();
};

/**
 * Identity (RFC 8621 §6). When an alias begins or ceases to send, its Identities are created or destroyed for clients.
 */
export const identityType: StoredType<IdentityRecord> = {
  name: identity.name,
  records: {
    partition: accountPartitions.identity,
    codec,
    indexBuilder: () => indexOfRecords((records) => new RecordMap(records)),
    merge: (current, from, to) => ({ ...mergeProperties(current, from, to), version: current.version + 1 }),
    revalidate(operation, planned) {
      if (operation.kind === 'create' && !isVisible(operation.record, (id) => planned.after(identityType, id))) throw mayNotSendFrom();
    },
    before(from, to): IdentityBefore | undefined {
      if (!to) return { aliasId: from.aliasId, maySend: from.maySend };
      return from.maySend === to.maySend ? undefined : { maySend: from.maySend };
    },
  },
  events: identityEvents,
};

/** The error for an address that is not an address of the account, or that may not send (RFC 8621 §6.3). */
export const mayNotSendFrom = (): RecordRefused =>
  new RecordRefused('forbiddenFrom', 'You may not send from this address. Use the address of an Identity that Identity/get returns.', ['email']);

/** All stored Identities of an account, including those that clients do not see. */
export const storedIdentitiesOf = (account: Indexes): IdentityIndex => account.index(identityType);

/** The Identities of an account that clients see, by id. */
export const identitiesOf = (account: Indexes): ReadonlyMap<string, IdentityRecord> => {
  const stored = storedIdentitiesOf(account);
  return new Map(
    stored
      .all()
      .filter((record) => isVisible(record, (id) => stored.get(id)))
      .map((record) => [record.id, record]),
  );
};

/**
 * The key of the Identity that the server created for an alias, for Lambdas that read the Identity without the index.
 */
export const aliasIdentityKey = (accountId: string, aliasId: string): Key => recordKey(accountId, identityType.records!.partition, aliasId);

export const identityOfItem = (item: Item): IdentityRecord => codec.decode(item.sk, item);
