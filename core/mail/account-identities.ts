import { partitionOf } from '../../contract/deployment/keys.ts';
import { commitWrites } from '../account-log/append-commit.ts';
import { decodeHead, type Head } from '../account-log/head.ts';
import { headKey } from '../account-log/keys.ts';
import { isSameRecord } from '../account-log/records/merge-records.ts';
import type { Operation, StoredTypes } from '../account-log/records/stored-type.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Key, Table, Write } from '../storage/table.ts';
import { identityType, type IdentityRecord } from './identity-type.ts';

/** The Identities of an account and its head. The two are read concurrently, in no order. */
export type AccountIdentities = { readonly accountId: string; readonly head: Head; readonly records: readonly IdentityRecord[] };

/** New or changed Identities, each whole, and the ids of Identities to destroy. */
export type IdentityChanges = { readonly put?: readonly IdentityRecord[]; readonly destroy?: readonly IdentityRecord[] };

/** Changes Identities without the account's index, in a transaction that the caller writes. */
export type IdentityStore = {
  /** Reads the Identities and the head concurrently. @returns undefined when the account has no mail. */
  read(accountId: string): Promise<AccountIdentities | undefined>;
  /**
   * The writes of one commit of the account: head, log item and Identities. They fail when the account or one of these
   * Identities changed since they were read. Empty when nothing changes.
   */
  writes(identities: AccountIdentities, changes: IdentityChanges): readonly Write[];
};

const { partition, codec } = identityType.records!;

const operationsOf = (records: readonly IdentityRecord[], { put = [], destroy = [] }: IdentityChanges): readonly Operation<IdentityRecord>[] => [
  ...put.flatMap((record): Operation<IdentityRecord>[] => {
    const from = records.find(({ id }) => id === record.id);
    if (!from) return [{ type: identityType, kind: 'create', record }];
    return isSameRecord(from, record) ? [] : [{ type: identityType, kind: 'update', record, from }];
  }),
  ...destroy.map((from): Operation<IdentityRecord> => ({ type: identityType, kind: 'destroy', from })),
];

/** The write, on the condition that the Identity has not changed since it was read. */
const onlyIfUnchanged = (accountId: string, write: Write, records: readonly IdentityRecord[]): Write => {
  const key: Key | undefined = 'put' in write ? write.put : 'delete' in write ? write.delete : undefined;
  if (key?.pk !== partitionOf(accountId, partition)) return write;
  const from = records.find(({ id }) => id === key.sk);
  return { ...write, if: from ? { equals: { version: from.version } } : { absent: true } };
};

/** @param dependencies the mail table and the dependencies of its commits. */
export const accountIdentitiesIn = ({
  table,
  types,
  clock,
  newId,
}: {
  readonly table: Pick<Table, 'get' | 'query' | 'reference'>;
  readonly types: StoredTypes;
  readonly clock: Clock;
  readonly newId: () => string;
}): IdentityStore => ({
  async read(accountId) {
    const [head, items] = await Promise.all([table.get(headKey(accountId)), table.query({ pk: partitionOf(accountId, partition) })]);
    return head && { accountId, head: decodeHead(head), records: items.map(({ pk: _pk, sk, ...attributes }) => codec.decode(sk, attributes)) };
  },
  writes({ accountId, head, records }, changes) {
    const operations = operationsOf(records, changes);
    if (operations.length === 0) return [];
    const commit = commitWrites({ types, clock, newId }, { accountId, head, operations });
    return [commit.head, ...commit.own.map((write) => onlyIfUnchanged(accountId, write, records))].map((write) => ({ ...write, inTable: table.reference }));
  },
});
