import { accountPartitions, partitionOf } from '../../contract/deployment/keys.ts';
import type { Key } from '../storage/table.ts';

/** The key of a record that a stored type keeps in `partition`. */
export const recordKey = (accountId: string, partition: string, id: string): Key => ({ pk: partitionOf(accountId, partition), sk: id });

/**
 * Sort key of the head. It sorts after every log item, so that a query for the newest log items also returns the head.
 */
const headSortKey = 'HEAD';

/** Digits of a sequence number in a sort key. */
const sequenceDigits = 12;

export const headKey = (accountId: string): Key => recordKey(accountId, accountPartitions.log, headSortKey);

export const isHeadKey = ({ sk }: Key): boolean => sk === headSortKey;

const accountOfLog = (pk: string): string | undefined => {
  const accountId = pk.slice(0, pk.lastIndexOf('#'));
  return pk === partitionOf(accountId, accountPartitions.log) ? accountId : undefined;
};

/** The account whose head has this key; undefined for any other key. */
export const accountOfHead = ({ pk, sk }: Key): string | undefined => (sk === headSortKey ? accountOfLog(pk) : undefined);

/** The account of the log item with this key; undefined for any other key. */
export const accountOfLogItem = ({ pk, sk }: Key): string | undefined => (sk === headSortKey ? undefined : accountOfLog(pk));

export const logKey = (accountId: string, sequence: number): Key =>
  recordKey(accountId, accountPartitions.log, String(sequence).padStart(sequenceDigits, '0'));
