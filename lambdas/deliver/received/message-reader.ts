import { wasDelivered } from '../../../core/mail/delivery/deliver-emails.ts';
import { emailIdOf, messageKey } from '../../../core/mail/email/blob-id.ts';
import { OperatorError } from '../../../core/runtime/error-log-fields.ts';
import { concurrencyLimit, mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import type { Objects, StoredObject } from '../../../core/storage/objects.ts';
import type { Table } from '../../../core/storage/table.ts';
import type { ReceivedMail } from './ses-notification.ts';

/** Thrown when the object of a notification no longer exists. */
export class RawMessageMissing extends OperatorError {
  override readonly name = 'RawMessageMissing';
  constructor({ messageId }: Pick<ReceivedMail, 'messageId'>) {
    super(`there is no raw message for SES message ${messageId}`);
  }
}

/** Maximum octets of a message that are searched for the end of its header. */
const headerOctets = 256 * 1024;

/** The beginning of a message in memory, as {@link readBeginning} reads it. */
export const beginningOf = (raw: Buffer): StoredObject => ({ bytes: raw.subarray(0, headerOctets), size: raw.length });

/** Reads the beginning of the message with its header. @throws RawMessageMissing */
export const readBeginning = async (mail: ReceivedMail, objects: Pick<Objects, 'get'>): Promise<StoredObject> => {
  const beginning = await objects.get(mail.objectKey, { start: 0, end: headerOctets });
  if (!beginning) throw new RawMessageMissing(mail);
  return beginning;
};

/** The key of an account's copy of the message. */
export const accountCopyKey = (accountId: string, { messageId }: Pick<ReceivedMail, 'messageId'>): string =>
  objectKeys.message(accountId, messageKey(accountId, messageId));

/** The key of a copy in one of the accounts. Undefined when no account has a copy. */
export const findAccountCopy = async (accountIds: readonly string[], mail: ReceivedMail, objects: Pick<Objects, 'size'>): Promise<string | undefined> => {
  for (const accountId of accountIds) {
    const key = accountCopyKey(accountId, mail);
    if ((await objects.size(key)) !== undefined) return key;
  }
  return undefined;
};

/** Whether each of the accounts got the message, even if the Email or the account no longer exists. */
export const wasDeliveredToAll = async (accountIds: readonly string[], { messageId }: ReceivedMail, mailTable: Table): Promise<boolean> => {
  const delivered = await mapConcurrently(accountIds, (accountId) => wasDelivered(mailTable, accountId, emailIdOf(messageKey(accountId, messageId))));
  return delivered.every(Boolean);
};

/** Maximum octets of a message that may be in memory together with the other messages of its batch. */
const smallMessage = 1_000_000;
/** Maximum larger messages in memory at the same time. Each may have 40 MB. */
const largeMessagesInMemory = 2;

/** Reads the raw message and runs the part of a delivery that needs it in memory. @throws RawMessageMissing */
export type WithMessage = <T>(mail: ReceivedMail, use: (message: Buffer) => Promise<T>) => Promise<T>;

/**
 * The reader of a batch's messages, which limits the memory: large messages wait for each other. A small message is
 * read once.
 */
export const messageReader = (objects: Pick<Objects, 'get'>, records: number): WithMessage => {
  const large = concurrencyLimit(largeMessagesInMemory);
  const read = async (mail: ReceivedMail, range?: { readonly start: number; readonly end: number }): Promise<StoredObject> => {
    const found = await objects.get(mail.objectKey, range);
    if (!found) throw new RawMessageMissing(mail);
    return found;
  };
  return async (mail, use) => {
    if (records === 1) return use((await read(mail)).bytes);
    const beginning = await read(mail, { start: 0, end: smallMessage });
    if (beginning.size <= smallMessage) return use(beginning.bytes);
    return large(async () => use((await read(mail)).bytes));
  };
};
