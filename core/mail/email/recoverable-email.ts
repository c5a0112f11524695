import { accountPartitions, mailKeys, partitionOf } from '../../../contract/deployment/keys.ts';
import { checkedRow, firstVersion, versionAttribute } from '../../account-log/item-version.ts';
import type { CommitContext, Operation } from '../../account-log/records/stored-type.ts';
import type { Item, Key, Table, Write } from '../../storage/table.ts';
import {
  decodeDestroyedRecord,
  decodeEmailContent,
  emailItem,
  emailKey,
  emailRowCodec,
  tombstone,
  tombstoneRow,
  tombstoneSeconds,
  type EmailContent,
  type EmailRow,
} from './email-content.ts';

/**
 * The destroyed Emails of one commit that can be restored. The item is found by the time of the commit. The content is
 * in the Emails' tombstones. An Email that was later restored or purged stays in the list.
 */
export type Destruction = {
  /** The time of the commit and its sequence number, so that names are in the order of the commits. */
  readonly name: string;
  /** The time of the commit, in ISO 8601. */
  readonly destroyedAt: string;
  /** The principal who destroyed the Emails. Undefined: a Lambda did. */
  readonly principalId: string | undefined;
  /** The end of the restoration period, in seconds since 1970. */
  readonly recoverableUntil: number;
  readonly emailIds: readonly string[];
  /** The Thread of each Email, in the same order. */
  readonly threadIds: readonly string[];
};

/** The attributes of the item of a destruction. */
type DestructionRow = Omit<Destruction, 'name' | 'destroyedAt'>;

/** Digits of a sequence number in a name. */
const sequenceDigits = 12;

const destructionName = ({ now, sequence }: CommitContext): string => `${now.toISOString()}#${String(sequence).padStart(sequenceDigits, '0')}`;

/** Seconds since 1970 until which the commit's destroyed Emails can be restored. @returns undefined when they can't be. */
export const recoverableUntil = ({ now, recoverableSeconds }: CommitContext): number | undefined =>
  recoverableSeconds > 0 ? Math.floor(now.getTime() / 1000) + recoverableSeconds : undefined;

/**
 * Replaces the record of a destroyed Email by its tombstone. If the Email can be restored, the tombstone has the
 * attributes for that.
 */
export const tombstoneOf = (accountId: string, row: EmailRow, context: CommitContext): ReturnType<typeof tombstone> => {
  const until = recoverableUntil(context);
  return tombstone(
    accountId,
    row.id,
    context.now,
    until === undefined ? {} : { row: emailRowCodec.encode(row), destruction: destructionName(context), recoverableUntil: until },
  );
};

/** The item that lists the destroyed Emails of a transaction, if they can be restored. */
export const destructionWrites = (accountId: string, operations: readonly Operation<EmailRow>[], context: CommitContext): readonly Write[] =>
  listedRows(
    accountId,
    operations.flatMap((operation) => (operation.kind === 'destroy' ? [operation.from] : [])),
    context,
  );

/**
 * The writes of an Email that is destroyed from the beginning: no Mailbox has it, and it can be restored. They fail when the
 * Email exists, or did.
 */
export const destroyedFromBeginning = (accountId: string, row: EmailRow, content: EmailContent, context: CommitContext): readonly Write[] => {
  const { set } = tombstoneOf(accountId, row, context);
  return [{ put: { ...emailItem(accountId, content), ...set }, if: { absent: true } }, ...listedRows(accountId, [row], context)];
};

const listedRows = (accountId: string, rows: readonly EmailRow[], context: CommitContext): readonly Write[] => {
  const until = recoverableUntil(context);
  if (rows.length === 0 || until === undefined) return [];
  return [
    {
      put: {
        ...mailKeys.destruction(accountId, destructionName(context)),
        [versionAttribute]: firstVersion,
        emailIds: rows.map(({ id }) => id),
        threadIds: rows.map(({ threadId }) => threadId),
        recoverableUntil: until,
        principalId: context.principalId,
        // The sweep deletes the item. DynamoDB deletes it if the sweep can't.
        expiresAt: Math.floor(context.now.getTime() / 1000) + tombstoneSeconds,
      },
    },
  ];
};

/** @throws UnknownItemVersion when a newer release wrote the item. */
export const decodeDestruction = (item: Item): Destruction => {
  const { principalId, recoverableUntil: until, emailIds, threadIds } = checkedRow<DestructionRow>('list of destroyed Emails', item);
  return { name: item.sk, destroyedAt: item.sk.slice(0, item.sk.indexOf('#')), principalId, recoverableUntil: until, emailIds, threadIds };
};

/** The key of the {@link Destruction} of a tombstone. Undefined for any other item, and when nothing can be restored. */
export const destructionKey = (accountId: string, tombstoneItem: Item | undefined): Key | undefined => {
  const destruction = tombstoneItem && tombstoneRow(tombstoneItem).destruction;
  return destruction === undefined ? undefined : mailKeys.destruction(accountId, destruction);
};

/** The partition of an account's destructions. */
export const destructionsOf = (accountId: string): string => partitionOf(accountId, accountPartitions.destroyed);

/** Deletes the list of destroyed Emails after all of them were removed or enqueued for removal. */
export const deletedDestruction = (accountId: string, { name }: Destruction): Write => ({ delete: mailKeys.destruction(accountId, name) });

/** A destroyed Email that can be restored. */
export type RecoverableEmail = {
  readonly id: string;
  /** The Email's row when it was destroyed. */
  readonly row: EmailRow;
  readonly content: EmailContent;
  /** The name of the {@link Destruction} of the Email. */
  readonly destruction: string;
  /** The end of the restoration period, in seconds since 1970. */
  readonly recoverableUntil: number;
};

/**
 * Whether a destroyed Email can't be restored any more. False for any other item.
 * @param marginSeconds added to the restoration period, for restorations that began before its end.
 */
export const hasEnded = (item: Item, now: Date, marginSeconds = 0): boolean => {
  const { recoverableUntil: until } = tombstoneRow(item);
  return until === undefined || until + marginSeconds <= now.getTime() / 1000;
};

/**
 * Decodes the tombstone of an Email that can be restored.
 * @returns undefined for any other item: for an Email that exists, was removed or purged, or can't be restored any
 * more.
 */
export const decodeRecoverableEmail = (item: Item, now: Date): RecoverableEmail | undefined => {
  const stored = tombstoneRow(item);
  if (stored.row === undefined || hasEnded(item, now)) return undefined;
  const content = decodeDestroyedRecord(item);
  const { row, destruction, recoverableUntil: until } = stored;
  return content && { id: item.sk, row: emailRowCodec.decode(item.sk, row), content, destruction, recoverableUntil: until };
};

/** Reads destroyed Emails by id, in one BatchGet. Emails that can't be restored are omitted. */
export const readRecoverableEmails = async (table: Table, accountId: string, emailIds: readonly string[], now: Date): Promise<readonly RecoverableEmail[]> => {
  if (emailIds.length === 0) return [];
  const items = new Map((await table.batchGet(emailIds.map((id) => emailKey(accountId, id)))).map((item) => [item.sk, item]));
  return emailIds.flatMap((id) => {
    const item = items.get(id);
    return (item && decodeRecoverableEmail(item, now)) ?? [];
  });
};

/** The condition that a destroyed Email was neither restored, purged nor destroyed again since it was read. */
const unchangedTombstone = ({ destruction, recoverableUntil }: Pick<RecoverableEmail, 'destruction' | 'recoverableUntil'>) => ({
  equals: { destruction, recoverableUntil },
});

/**
 * The destroyed Emails that can be restored, by Thread. An Email that was restored after it was listed may be included.
 * Call it after the account is read: an Email that is destroyed in between is then in the account.
 */
export const keptEmailsOfThreads = async (
  table: Table,
  accountId: string,
  threadIds: ReadonlySet<string>,
  now: Date,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const listed = (await table.query({ pk: destructionsOf(accountId) }))
    .map(decodeDestruction)
    .flatMap(({ emailIds, threadIds: threads }) =>
      emailIds.map((id, index) => ({ id, threadId: threads[index]! })).filter(({ threadId }) => threadIds.has(threadId)),
    );
  if (listed.length === 0) return new Map();
  const items = await table.batchGet([...new Set(listed.map(({ id }) => id))].map((id) => emailKey(accountId, id)));
  const kept = new Set(items.filter((item) => decodeEmailContent(item) !== undefined || !hasEnded(item, now)).map(({ sk }) => sk));
  const byThread = Map.groupBy(
    listed.filter(({ id }) => kept.has(id)),
    ({ threadId }) => threadId,
  );
  return new Map([...byThread].map(([threadId, emails]) => [threadId, [...new Set(emails.map(({ id }) => id))]]));
};

/** Whether an admin purged the destroyed Email. */
export const isPurged = (tombstoneItem: Item): boolean => tombstoneItem['isPurged'] === true;

/** Replaces the tombstone of a restored Email by its record. */
export const restoredContent = (accountId: string, email: Pick<RecoverableEmail, 'id' | 'destruction' | 'recoverableUntil'>): Write => ({
  update: emailKey(accountId, email.id),
  remove: ['expiresAt', 'row', 'destruction', 'recoverableUntil'],
  if: unchangedTombstone(email),
});

/**
 * Marks the Email's tombstone as purged, so that the Email can no longer be restored, and no version of its raw message
 * is kept.
 */
export const purgedTombstone = (accountId: string, email: RecoverableEmail, now: Date): Write => ({
  update: emailKey(accountId, email.id),
  set: { recoverableUntil: Math.floor(now.getTime() / 1000), isPurged: true },
  remove: ['row'],
  if: unchangedTombstone(email),
});
