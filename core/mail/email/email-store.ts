import type { EmailRecord } from './email-record.ts';
import type { DeliveredEmail } from './new-email.ts';

/** What became of a delivery. */
export type DeliveryOutcome = 'delivered' | 'duplicate' | 'unknown-account';

/** What the store does for Emails beyond other records. */
export type EmailStore = {
  /** The immutable halves of Emails by id, in one BatchGet (100 a request, the requests side by side). Unknown ids are left out. */
  emailRecords(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, EmailRecord>>;
  /**
   * Adds a delivered message in two trips, without the index. `duplicate`: an Email of that id was added before.
   * @throws StoreConflict when every try lost its race: nothing was added, and delivering again is right.
   */
  deliver(accountId: string, email: DeliveredEmail): Promise<DeliveryOutcome>;
};
