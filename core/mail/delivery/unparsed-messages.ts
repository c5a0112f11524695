import { mailKeys, mailPartitions } from '../../../contract/deployment/keys.ts';
import { secondsNow, type Clock } from '../../runtime/clock.ts';
import { errorLogFields } from '../../runtime/error-log-fields.ts';
import type { Log } from '../../runtime/log.ts';
import type { Table } from '../../storage/table.ts';

/** Days for which a message that could not be parsed is a problem. */
const unparsedMessageDays = 7;

const day = 86_400;

/** A message that could not be parsed whole. */
type UnparsedMessage = { readonly accountId: string; readonly blobId: string; readonly failure: Error };

export type UnparsedMessageDependencies = { readonly mailTable: Pick<Table, 'write'>; readonly clock: Clock; readonly log: Log };

/** Notes the message for the watch. It never throws, because the message itself matters more than its note. */
export const noteUnparsedMessage = async (
  { accountId, blobId, failure }: UnparsedMessage,
  { mailTable, clock, log }: UnparsedMessageDependencies,
): Promise<void> => {
  const names = { account_id: accountId, blob_id: blobId };
  log.error('a message could not be parsed', { ...names, ...errorLogFields(failure) });
  const expiresAt = secondsNow(clock) + unparsedMessageDays * day;
  try {
    await mailTable.write([{ put: { ...mailKeys.unparsedMessage(accountId, blobId), expiresAt } }]);
  } catch (refused) {
    log.warn('a message that could not be parsed was not noted', { ...names, ...errorLogFields(refused) });
  }
};

/** Messages that make a problem at the same time. An attacker can send more. */
const maxListed = 20;

/** The messages of the last {@link unparsedMessageDays}, each as `<account id>/<blob id>`. */
export const listUnparsedMessages = async (mailTable: Pick<Table, 'query'>, clock: Clock): Promise<readonly string[]> => {
  // DynamoDB removes expired items within days.
  const items = await mailTable.query({ pk: mailPartitions.unparsedMessages, limit: 100 });
  return items
    .filter(({ expiresAt }) => Number(expiresAt) > secondsNow(clock))
    .map(({ sk }) => sk)
    .slice(0, maxListed);
};
