import { setTimeout as timer } from 'node:timers/promises';
import type { DeliveryOutcome, DeliveryResult } from '../../core/mail-types/email/email-store.ts';
import type { DeliveredEmail } from '../../core/mail-types/email/new-email.ts';
import type { MailStore } from '../../core/mail-types/mail-store/mail-store.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';
import { isTransient } from '../../core/runtime/errors.ts';

/** Milliseconds that an Email waits for the other records of its batch. */
const defaultMaxWait = 300;

/** The outcome of one Email, and the window of the account's VacationResponse. */
export type EmailDelivery = { readonly outcome: DeliveryOutcome } & Pick<DeliveryResult, 'vacation'>;

/** An Email that waits for the next transaction of its account. */
type Waiting = {
  readonly email: DeliveredEmail;
  readonly resolve: (delivery: EmailDelivery) => void;
  readonly reject: (failure: unknown) => void;
};

/** Adds one Email to an account, with those of the other records of the batch. */
export type DeliverEmail = (accountId: string, email: DeliveredEmail) => Promise<EmailDelivery>;

/**
 * Delivers the Emails of a batch of records account by account, so that those of one account share a transaction. An
 * account's Emails wait until every record of the batch has its Emails ready, or has failed, or for {@link defaultMaxWait}.
 * Each Email has its own outcome: when a transaction of several fails, each of them is tried alone.
 */
export class DeliveryGroups {
  readonly #mailStore: Pick<MailStore, 'deliverAll'>;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #maxWait: number;
  #recordsUnderWay: number;

  /** @param records of the batch. */
  constructor(mailStore: Pick<MailStore, 'deliverAll'>, records: number, maxWait = defaultMaxWait) {
    this.#mailStore = mailStore;
    this.#maxWait = maxWait;
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
      const delivery = this.#add(accountId, email);
      ready();
      return delivery;
    };
    try {
      await handle(deliver);
    } finally {
      ready();
    }
  }

  #add(accountId: string, email: DeliveredEmail): Promise<EmailDelivery> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(accountId);
      if (waiting) waiting.push({ email, resolve, reject });
      else {
        this.#waiting.set(accountId, [{ email, resolve, reject }]);
        if (this.#recordsUnderWay === 0) setImmediate(() => this.#flush(accountId));
        else void timer(this.#maxWait, undefined, { ref: false }).then(() => this.#flush(accountId));
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
      const { outcomes, vacation } = await this.#mailStore.deliverAll(accountId, waiting.map(({ email }) => email));
      for (const [index, { resolve }] of waiting.entries()) resolve({ outcome: outcomes[index]!, vacation });
    } catch (failure) {
      // Another attempt would not succeed now, whatever the Email.
      const isOfAll = failure instanceof StoreConflict || isTransient(failure);
      if (isOfAll || waiting.length === 1) for (const { reject } of waiting) reject(failure);
      else for (const each of waiting) await this.#deliverTogether(accountId, [each]);
    }
  }
}
