import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import { conflict, retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { findItemIn, WriteRefused, type FindItem, type Key, type Table } from '../../storage/table.ts';
import { operationsThatFit, prepareCommit, replaceHead, type StoreContext } from '../../account-index/commit.ts';
import { decodeHead, type Head } from '../../account-log/head.ts';
import { headKey, isHeadKey, logKey } from '../../account-log/keys.ts';
import { decodeLogEntry } from '../../account-log/log-item.ts';
import { defaultMailbox, type MailboxRecord } from '../mailbox/mailbox-record.ts';
import { mailboxType } from '../mailbox/mailbox-type.ts';
import { exceededResource, quotaAfter, quotaOfHead } from '../quota/account-quota.ts';
import type { Operation } from '../../account-log/records/stored-type.ts';
import { newRecordWrites } from './email-blobs.ts';
import { emailKey, threadKey } from './email-record.ts';
import type { DeliveryOutcome, DeliveryResult } from './email-store.ts';
import { KnownThreads, newEmailRow, referenceKeys } from './email-threads.ts';
import { emailType } from './email-type.ts';
import type { DeliveredEmail } from './new-email.ts';

/** Lost responses of one delivery before it fails. */
const maxLostResponses = 2;

/**
 * Milliseconds after a removal of references in which a delivery reads them once more: longer than a delivery takes,
 * with room for clocks that differ.
 */
const rereadTime = 300_000;

/** A transaction whose response was lost: the key of its log item, and the Emails that it adds. */
type Unconfirmed = { readonly key: Key; readonly writerId: string; readonly emails: readonly DeliveredEmail[] };

/**
 * Adds messages in two round trips, without loading the account: {@link EmailStore.deliverAll}. Those that fit are one
 * transaction; the others follow in the next ones, each with two trips more. There is a third trip for messages of known
 * Threads in the minutes after a removal of references.
 */
export const deliverEmails = async (
  parts: StoreContext, accountId: string, emails: readonly DeliveredEmail[], quotaDefaults: QuotaAmounts,
): Promise<DeliveryResult> => {
  const delivery = new Delivery(parts, accountId, emails, quotaDefaults);
  await retryOnConflict(() => delivery.attempt(), parts.pause);
  return delivery.result();
};

/** Messages that are delivered to one account. */
class Delivery {
  readonly #parts: StoreContext;
  readonly #accountId: string;
  readonly #emails: readonly DeliveredEmail[];
  readonly #quotaDefaults: QuotaAmounts;
  readonly #referenceKeys: ReadonlyMap<DeliveredEmail, readonly Key[]>;
  readonly #outcomes = new Map<DeliveredEmail, DeliveryOutcome>();
  #vacation: Head['vacation'];
  #lostResponses = 0;
  #unconfirmed: Unconfirmed | undefined;
  /** The Threads that the last attempt found. The next one reads whether they are full. */
  #threadKeys: readonly Key[] = [];

  constructor(parts: StoreContext, accountId: string, emails: readonly DeliveredEmail[], quotaDefaults: QuotaAmounts) {
    this.#parts = parts;
    this.#accountId = accountId;
    this.#emails = emails;
    this.#quotaDefaults = quotaDefaults;
    this.#referenceKeys = new Map(emails.map((email) => [email, referenceKeys(accountId, email)]));
  }

  result(): DeliveryResult {
    return { outcomes: this.#emails.map((email) => this.#outcomes.get(email)!), vacation: this.#vacation ?? undefined };
  }

  /** Adds the messages that have no outcome yet, in as many transactions as they need. */
  async attempt(): Promise<typeof conflict | undefined> {
    for (;;) {
      const pending = this.#emails.filter((email) => !this.#outcomes.has(email));
      if (pending.length === 0) return undefined;
      const find = await this.#read(pending);
      const headItem = find(headKey(this.#accountId));
      const head = headItem && decodeHead(headItem);
      this.#vacation = head?.vacation;
      if (!head) this.#settle(pending, 'unknown-account');
      else if (this.#confirm(find)) continue;
      else if (!await this.#deliver(pending, head, await this.#withReferencesAfter(head, pending, find))) return conflict;
    }
  }

  async #read(pending: readonly DeliveredEmail[]): Promise<FindItem> {
    const keys = pending.flatMap((email) => [emailKey(this.#accountId, email.record.id), ...this.#referenceKeys.get(email)!]);
    const items = await this.#parts.table.batchGet([
      headKey(this.#accountId), ...keys, ...this.#threadKeys, ...(this.#unconfirmed ? [this.#unconfirmed.key] : []),
    ]);
    return findItemIn(items);
  }

  /**
   * The items of one read are of different moments: a removal may have deleted a found reference before the head was
   * read. So references that were found are read again, after the head, while a removal may be that recent.
   */
  async #withReferencesAfter({ referencesRemovedAt }: Head, pending: readonly DeliveredEmail[], find: FindItem): Promise<FindItem> {
    if (referencesRemovedAt === undefined || this.#parts.clock().getTime() - referencesRemovedAt >= rereadTime) return find;
    const found = pending.flatMap((email) => this.#referenceKeys.get(email)!).filter(find);
    if (found.length === 0) return find;
    const isReference = findItemIn(found);
    const findAgain = findItemIn(await this.#parts.table.batchGet([...new Map(found.map((key) => [key.sk, key])).values()]));
    return (key) => (isReference(key) ? findAgain(key) : find(key));
  }

  #settle(emails: readonly DeliveredEmail[], outcome: DeliveryOutcome): void {
    for (const email of emails) this.#outcomes.set(email, outcome);
  }

  /** Whether the transaction whose response was lost was made after all. */
  #confirm(find: FindItem): boolean {
    const unconfirmed = this.#unconfirmed;
    const entry = unconfirmed && find(unconfirmed.key);
    if (!entry) return false;
    this.#unconfirmed = undefined;
    if (decodeLogEntry(this.#parts.types, entry).writerId !== unconfirmed.writerId) return false;
    this.#settle(unconfirmed.emails, 'delivered');
    return true;
  }

  /** Adds those of the messages that fit into a transaction. @returns false when another commit was first. */
  async #deliver(pending: readonly DeliveredEmail[], head: Head, find: FindItem): Promise<boolean> {
    const known = pending.filter(({ record }) => find(emailKey(this.#accountId, record.id)));
    this.#settle(known, 'duplicate');
    // A second delivery of the same message waits until the first one is made.
    const distinct = [
      ...new Map(pending.filter((email) => !known.includes(email)).toReversed().map((email) => [email.record.id, email])).values(),
    ];
    const { fitting, full } = this.#withinQuota(distinct.toReversed(), head);
    if (fitting.length > 0) {
      const added = await this.#write(fitting, head, find);
      if (!added) return false;
      this.#settle(added, 'delivered');
    }
    this.#settle(full, 'account-full');
    return true;
  }

  #withinQuota(emails: readonly DeliveredEmail[], head: Head) {
    const [fitting, full]: [DeliveredEmail[], DeliveredEmail[]] = [[], []];
    let quota = quotaOfHead(head, this.#quotaDefaults);
    for (const email of emails) {
      if (!email.ignoresQuota && exceededResource(quota, email.size)) {
        full.push(email);
        continue;
      }
      fitting.push(email);
      quota = quotaAfter(quota, email.size);
    }
    return { fitting, full };
  }

  /** @returns the messages that the transaction added; undefined when another commit was first. */
  async #write(
    emails: readonly DeliveredEmail[], head: Head, find: FindItem,
  ): Promise<readonly DeliveredEmail[] | undefined> {
    const { table, types, clock, newId } = this.#parts;
    const { operations, emailCount } = this.#operations(emails, head, find);
    const added = emails.slice(0, emailCount);
    const writerId = newId();
    const { next, writes } = prepareCommit(types, this.#accountId, head, operations, { writerId, now: clock() });
    try {
      await table.write([replaceHead(this.#accountId, head, next), ...writes]);
      return added;
    } catch (error) {
      if (!(error instanceof WriteRefused)) {
        if (++this.#lostResponses > maxLostResponses) throw error;
        this.#unconfirmed = { key: logKey(this.#accountId, head.sequence + 1), writerId, emails: added };
      }
      return undefined;
    }
  }

  /** The operations of one transaction. An account whose inbox was destroyed gets a new one. */
  #operations(emails: readonly DeliveredEmail[], head: Head, find: FindItem) {
    const found = (keys: readonly Key[]) => keys.flatMap((key) => find(key) ?? []);
    const keys = emails.flatMap((email) => this.#referenceKeys.get(email)!);
    const threads = new KnownThreads(found([...new Map(keys.map((key) => [key.sk, key])).values()]), found(this.#threadKeys));
    this.#threadKeys = threads.ids.map((threadId) => threadKey(this.#accountId, threadId));
    let inbox: MailboxRecord | undefined;
    const creations = emails.map((email) => {
      const { threadId, writes } = threads.add(this.#referenceKeys.get(email)!, email.record.id);
      const mailboxId = head.roles[email.mailboxRole] ?? head.roles['inbox'] ?? (inbox ??= defaultMailbox('inbox', this.#parts.newId)).id;
      return {
        type: emailType, kind: 'create', record: newEmailRow(email, threadId, [mailboxId]),
        additionalWrites: [...newRecordWrites(this.#accountId, email.record), ...writes],
      };
    });
    const all = [
      ...(inbox ? [{ type: mailboxType, kind: 'create', record: inbox }] : []), ...creations,
    ] as readonly unknown[] as readonly Operation[];
    const mailboxes = all.length - creations.length;
    const emailCount = Math.max(1, operationsThatFit(this.#accountId, all, 0) - mailboxes);
    return { operations: all.slice(0, mailboxes + emailCount), emailCount };
  }
}

/** Whether an Email with this id was delivered, even if it is destroyed by now. True if there is no such account. */
export const wasDelivered = async (table: Table, accountId: string, emailId: string): Promise<boolean> => {
  const items = await table.batchGet([headKey(accountId), emailKey(accountId, emailId)]);
  return items.length !== 1 || !isHeadKey(items[0]!);
};
