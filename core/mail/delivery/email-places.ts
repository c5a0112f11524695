import { mailKeys } from '../../../contract/deployment/keys.ts';
import { decodeHead } from '../../account-log/head.ts';
import { headKey, recordKey } from '../../account-log/keys.ts';
import { findItemIn, type FindItem, type Item, type Table } from '../../storage/table.ts';
import { destroyedAt, emailKey, emailRowCodec, type EmailRow } from '../email/email-content.ts';
import { decodeDestruction, destructionKey } from '../email/recoverable-email.ts';
import { mailboxStorage } from '../mailbox/mailbox-record.ts';

/** An Email that was delivered to an account, into Junk or into the inbox. */
export type DeliveredTo = { readonly accountId: string; readonly emailId: string; readonly role: 'inbox' | 'junk' };

/** The place of an Email after its delivery. */
export type EmailPlace = {
  /** The names of the Mailboxes that have it now. */
  readonly mailboxes: readonly string[];
  /** Whether it left the Mailbox into which it was delivered. */
  readonly isMoved: boolean;
  readonly destroyedAt?: Date;
  /** The principal who destroyed it. Absent when a Lambda did, and after the restoration period. */
  readonly destroyedBy?: string | undefined;
  readonly isRestorable: boolean;
};

const { partition: mailboxPartition, codec: mailboxCodec } = mailboxStorage.records;

const mailboxKey = (accountId: string, id: string) => recordKey(accountId, mailboxPartition, id);
const rowKey = ({ accountId, emailId }: DeliveredTo) => mailKeys.emailRow(accountId, emailId);

const destroyedPlace = (tombstone: Item, destruction: Item | undefined, now: Date): EmailPlace => ({
  mailboxes: [],
  isMoved: false,
  destroyedAt: destroyedAt(tombstone),
  destroyedBy: destruction && decodeDestruction(destruction).principalId,
  isRestorable: Number(tombstone['recoverableUntil'] ?? 0) * 1000 > now.getTime(),
});

const placeOf = ({ accountId, role }: DeliveredTo, row: EmailRow, find: FindItem, findMailbox: FindItem): EmailPlace => {
  const head = find(headKey(accountId));
  const roles = head ? decodeHead(head).roles : {};
  const delivered = roles[role] ?? roles['inbox'];
  return {
    mailboxes: row.mailboxIds.flatMap((id) => {
      const item = findMailbox(mailboxKey(accountId, id));
      return item ? [mailboxCodec.decode(id, item).name] : [];
    }),
    isMoved: delivered !== undefined && !row.mailboxIds.includes(delivered),
    isRestorable: false,
  };
};

/**
 * Finds where delivered Emails are now, in two BatchGets. Moves, destructions and restorations are not written to the
 * record of a received message, because they are frequent, and looking up a message is rare: the Email's row states the
 * Mailboxes, its tombstone the destruction, and the list of destroyed Emails who destroyed it. A restored Email has a row again.
 * @returns the places in the order of the Emails. Undefined for an Email of which nothing is left.
 */
export const findPlaces = async (table: Pick<Table, 'batchGet'>, emails: readonly DeliveredTo[], now: Date): Promise<readonly (EmailPlace | undefined)[]> => {
  const keys = [
    ...emails.map(({ accountId }) => accountId).map(headKey),
    ...emails.flatMap((email) => [rowKey(email), emailKey(email.accountId, email.emailId)]),
  ];
  const find = findItemIn(await table.batchGet(keys));
  const rows = emails.map((email) => {
    const item = find(rowKey(email));
    return item && emailRowCodec.decode(item.sk, item);
  });
  const records = emails.map((email) => find(emailKey(email.accountId, email.emailId)));
  const destructions = emails.map(({ accountId }, index) => destructionKey(accountId, records[index]));
  const mailboxes = emails.flatMap(({ accountId }, index) => rows[index]?.mailboxIds.map((id) => mailboxKey(accountId, id)) ?? []);
  const findFurther = findItemIn(await table.batchGet([...mailboxes, ...destructions.filter((key) => key !== undefined)]));
  return emails.map((email, index) => {
    const [row, record, destruction] = [rows[index], records[index], destructions[index]];
    if (row) return placeOf(email, row, find, findFurther);
    return record?.['expiresAt'] === undefined ? undefined : destroyedPlace(record, destruction && findFurther(destruction), now);
  });
};
