import { accountPartitions, mailKeys, partitionOf } from '../../contract/deployment/keys.ts';
import type { Key } from '../storage/table.ts';

/** The key of a record that a stored type keeps in `partition`. */
export const recordKey = mailKeys.record;

export const headKey = mailKeys.head;

const headSortKey = headKey('').sk;

export const isHeadKey = ({ sk }: Key): boolean => sk === headSortKey;

const accountOfLog = (pk: string): string | undefined => {
  const accountId = pk.slice(0, pk.lastIndexOf('#'));
  return pk === partitionOf(accountId, accountPartitions.log) ? accountId : undefined;
};

/** The account whose head has this key; undefined for any other key. */
export const accountOfHead = ({ pk, sk }: Key): string | undefined => (sk === headSortKey ? accountOfLog(pk) : undefined);

/** The account of the log item with this key; undefined for any other key. */
export const accountOfLogItem = ({ pk, sk }: Key): string | undefined => (sk === headSortKey ? undefined : accountOfLog(pk));

export const logKey = mailKeys.log;
