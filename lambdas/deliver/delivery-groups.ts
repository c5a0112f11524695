import { setTimeout as timer } from 'node:timers/promises';
import type { DeliveryOutcome } from '../../core/mail/email/email-store.ts';
import type { DeliveredEmail } from '../../core/mail/email/new-email.ts';
import type { MailStore } from '../../core/mail/mail-store.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';
import { isTransient } from '../../core/runtime/errors.ts';

/** Milliseconds that an Email waits for the other records of its batch. */
const maxWait = 300;

/** An Email that waits for the next transaction of its account. */
type Waiting = {
  readonly email: DeliveredEmail;
  readonly resolve: (outcome: DeliveryOutcome) => void;
  readonly reject: (failure: unknown) => void;
};

/** Adds one Email to an account, with those of the other records of the batch. */
export type DeliverEmail = (accountId: string, email: DeliveredEmail) => Promise<DeliveryOutcome>;

/**
 * Delivers the Emails of a batch of records account by account, so that those of one account share a transaction. An
 * account's Emails wait until every record of the batch has its Emails ready, or has failed, or for {@link maxWait}.
 * Each Email has its own outcome: when a transaction of several fails, each of them is tried alone.
 */
export class DeliveryGroups {
  readonly #mailStore: Pick<MailStore, 'deliverAll'>;
  readonly #waiting = new Map<string, Waiting[]>();
  #recordsUnderWay: number;

  /** @param records of the batch. */
  constructor(mailStore: Pick<MailStore, 'deliverAll'>, records: number) {
    this.#mailStore = mailStore;
    this.#recordsUnderWay = records;
  }

  /** Handles one record. */
  async forRecord(handle: (deliver: DeliverEmail) => Promise<void>): Promise<void> {
    let isReady = false;
    const ready = (): void => {
      if (isReady) return;
      isReady = true;
      this.#recordsUnderWay -= 1;
      if (this.#recordsUnderWay === 0) setImmediate(() => this.#flushAll());
    };
    const deliver: DeliverEmail = (accountId, email) => {
      const outcome = this.#add(accountId, email);
      ready();
      return outcome;
    };
    try {
      await handle(deliver);
    } finally {
      ready();
    }
  }

  #add(accountId: string, email: DeliveredEmail): Promise<DeliveryOutcome> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(accountId);
      if (waiting) waiting.push({ email, resolve, reject });
      else {
        this.#waiting.set(accountId, [{ email, resolve, reject }]);
        if (this.#recordsUnderWay === 0) setImmediate(() => this.#flush(accountId));
        else void timer(maxWait, undefined, { ref: false }).then(() => this.#flush(accountId));
      }
    });
  }

  #flushAll(): void {
    for (const accountId of this.#waiting.keys()) this.#flush(accountId);
  }

  #flush(accountId: string): void {
    const waiting = this.#waiting.get(accountId);
    this.#waiting.delete(accountId);
    if (waiting) void this.#deliverTogether(accountId, waiting);
  }

  async #deliverTogether(accountId: string, waiting: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#mailStore.deliverAll(accountId, waiting.map(({ email }) => email));
      for (const [index, { resolve }] of waiting.entries()) resolve(outcomes[index]!);
    } catch (failure) {
      // Another attempt would not succeed now, whatever the Email.
      const isOfAll = failure instanceof StoreConflict || isTransient(failure);
      if (isOfAll || waiting.length === 1) for (const { reject } of waiting) reject(failure);
      else for (const each of waiting) await this.#deliverTogether(accountId, [each]);
    }
  }
}
