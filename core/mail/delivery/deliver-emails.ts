import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import { appendCommit, writersIn, type CommitDependencies, type Finished, type PlannedTransaction, type ReadState } from '../../account-log/append-commit.ts';
import { operationsThatFit } from '../../account-log/commit-writes.ts';
import { decodeHead, type Head } from '../../account-log/head.ts';
import { headKey, isHeadKey } from '../../account-log/keys.ts';
import type { Operation } from '../../account-log/records/stored-type.ts';
import { findItemIn, type FindItem, type Key, type Table } from '../../storage/table.ts';
import { newContentWrites } from '../email/email-blobs.ts';
import { emailKey, threadKey, type EmailRow } from '../email/email-content.ts';
import type { DeliveryOutcome, DeliveryResult, DeliveredEmail } from '../email/email-store.ts';
import { KnownThreads, newEmailRow, referenceKeys } from '../email/email-threads.ts';
import { emailType } from '../email/email-type.ts';
import { mailboxType } from '../mailbox-type.ts';
import { defaultMailbox, type MailboxRecord } from '../mailbox/mailbox-record.ts';
import { exceededResource, quotaAfter, quotaOfHead } from '../quota/account-quota.ts';

/**
 * Milliseconds after a removal of references in which deliveries read references again: longer than a delivery takes.
 */
const rereadTime = 300_000;

/**
 * Adds messages in two round trips, without loading the account: {@link EmailStore.deliverAll}. Messages that fit are
 * added in one transaction, the others in further ones, which take two round trips each. A third round trip is needed
 * for messages of known Threads in the minutes after a removal of references.
 */
export const deliverEmails = (
  dependencies: CommitDependencies,
  accountId: string,
  emails: readonly DeliveredEmail[],
  quotaDefaults: QuotaAmounts,
): Promise<DeliveryResult> => {
  const delivery = new Delivery(dependencies, accountId, emails, quotaDefaults);
  return appendCommit(dependencies, { read: (_last, logItems) => delivery.read(logItems), plan: (found) => delivery.plan(found) });
};

/** The items that were read together, and the messages for which they were read. */
type ReadItems = { readonly find: FindItem; readonly pending: readonly DeliveredEmail[] };

/** Messages that are delivered to one account. */
class Delivery {
  readonly #dependencies: CommitDependencies;
  readonly #accountId: string;
  readonly #emails: readonly DeliveredEmail[];
  readonly #quotaDefaults: QuotaAmounts;
  readonly #referenceKeys: ReadonlyMap<DeliveredEmail, readonly Key[]>;
  readonly #outcomes = new Map<DeliveredEmail, DeliveryOutcome>();
  #vacation: Head['vacation'];
  /** The Threads that the last plan found. The next read shows whether they are full. */
  #threadKeys: readonly Key[] = [];

  constructor(dependencies: CommitDependencies, accountId: string, emails: readonly DeliveredEmail[], quotaDefaults: QuotaAmounts) {
    this.#dependencies = dependencies;
    this.#accountId = accountId;
    this.#emails = emails;
    this.#quotaDefaults = quotaDefaults;
    this.#referenceKeys = new Map(emails.map((email) => [email, referenceKeys(accountId, email)]));
  }

  async read(logItems: readonly Key[]): Promise<ReadState<ReadItems>> {
    const { table, types } = this.#dependencies;
    const pending = this.#pending();
    const keys = pending.flatMap((email) => [emailKey(this.#accountId, email.content.id), ...this.#referenceKeys.get(email)!]);
    const find = findItemIn(await table.batchGet([headKey(this.#accountId), ...keys, ...this.#threadKeys, ...logItems]));
    return { state: { find, pending }, writerOf: writersIn(types, find) };
  }

  /** Plans the transaction that adds as many messages without an outcome as fit. */
  async plan({ find: found, pending }: ReadItems): Promise<Finished<DeliveryResult> | PlannedTransaction<DeliveryResult>> {
    const headItem = found(headKey(this.#accountId));
    const head = headItem && decodeHead(headItem);
    this.#vacation = head?.vacation;
    if (!head) this.#settle(this.#pending(), 'unknown-account');
    else {
      const find = await this.#withReferencesAfter(head, pending, found);
      const { fitting, full } = this.#newEmails(head, find);
      if (fitting.length > 0) return this.#transaction(fitting, full, head, find);
      this.#settle(full, 'account-full');
      // A message that has no room may have been delivered twice in this batch.
      if (this.#pending().length > 0) return this.plan({ find: found, pending });
    }
    return this.#finished();
  }

  #pending(): readonly DeliveredEmail[] {
    return this.#emails.filter((email) => !this.#outcomes.has(email));
  }

  #finished(): Finished<DeliveryResult> {
    return { result: { outcomes: this.#emails.map((email) => this.#outcomes.get(email)!), vacation: this.#vacation ?? undefined } };
  }

  /**
   * While a removal of references is recent, reads the found references again after the head. The removal may have been
   * written between the two reads.
   */
  async #withReferencesAfter({ referencesRemovedAt }: Head, pending: readonly DeliveredEmail[], find: FindItem): Promise<FindItem> {
    if (referencesRemovedAt === undefined || this.#dependencies.clock().getTime() - referencesRemovedAt >= rereadTime) return find;
    const found = pending.flatMap((email) => this.#referenceKeys.get(email)!).filter(find);
    if (found.length === 0) return find;
    const isReference = findItemIn(found);
    const findAgain = findItemIn(await this.#dependencies.table.batchGet([...new Map(found.map((key) => [key.sk, key])).values()]));
    return (key) => (isReference(key) ? findAgain(key) : find(key));
  }

  #settle(emails: readonly DeliveredEmail[], outcome: DeliveryOutcome): void {
    for (const email of emails) this.#outcomes.set(email, outcome);
  }

  /** Selects the messages that the account does not have, and settles the others. */
  #newEmails(head: Head, find: FindItem) {
    const pending = this.#pending();
    const known = pending.filter(({ content }) => find(emailKey(this.#accountId, content.id)));
    this.#settle(known, 'duplicate');
    // A second copy of the same message waits until the first one is delivered.
    const distinct = [
      ...new Map(
        pending
          .filter((email) => !known.includes(email))
          .toReversed()
          .map((email) => [email.content.id, email]),
      ).values(),
    ];
    return this.#withinQuota(distinct.toReversed(), head);
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

  #transaction(fitting: readonly DeliveredEmail[], full: readonly DeliveredEmail[], head: Head, find: FindItem): PlannedTransaction<DeliveryResult> {
    const { operations, emailCount } = this.#operations(fitting, head, find);
    return {
      changes: [{ accountId: this.#accountId, head, operations }],
      made: () => {
        this.#settle(fitting.slice(0, emailCount), 'delivered');
        this.#settle(full, 'account-full');
        return this.#pending().length === 0 ? this.#finished() : undefined;
      },
    };
  }

  /** The operations of one transaction. An account whose inbox was destroyed gets a new inbox. */
  #operations(emails: readonly DeliveredEmail[], head: Head, find: FindItem) {
    const found = (keys: readonly Key[]) => keys.flatMap((key) => find(key) ?? []);
    const keys = emails.flatMap((email) => this.#referenceKeys.get(email)!);
    const threads = new KnownThreads(found([...new Map(keys.map((key) => [key.sk, key])).values()]), found(this.#threadKeys));
    this.#threadKeys = threads.ids.map((threadId) => threadKey(this.#accountId, threadId));
    let inbox: MailboxRecord | undefined;
    const creations = emails.map((email): Operation<EmailRow> => {
      const { threadId, writes } = threads.add(this.#referenceKeys.get(email)!, email.content.id);
      const mailboxId = head.roles[email.mailboxRole] ?? head.roles['inbox'] ?? (inbox ??= defaultMailbox('inbox', this.#dependencies.newId)).id;
      return {
        type: emailType,
        kind: 'create',
        record: newEmailRow(email, threadId, [mailboxId]),
        additionalWrites: [...newContentWrites(this.#accountId, email.content), ...writes],
      };
    });
    const newInbox: readonly Operation<MailboxRecord>[] = inbox ? [{ type: mailboxType, kind: 'create', record: inbox }] : [];
    const all: readonly Operation[] = [...newInbox, ...creations];
    const mailboxes = all.length - creations.length;
    const emailCount = Math.max(1, operationsThatFit(this.#accountId, all, 0) - mailboxes);
    return { operations: all.slice(0, mailboxes + emailCount), emailCount };
  }
}

/** Whether an Email with this id was delivered, even if it is destroyed now. True when the account does not exist. */
export const wasDelivered = async (table: Table, accountId: string, emailId: string): Promise<boolean> => {
  const items = await table.batchGet([headKey(accountId), emailKey(accountId, emailId)]);
  return items.length !== 1 || !isHeadKey(items[0]!);
};
