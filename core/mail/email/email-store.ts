import type { VacationWindow } from '../../account-log/head.ts';
import type { EmailContent } from './email-content.ts';
import type { DeliveredEmail } from './new-email.ts';

/** The result of a delivery. */
export type DeliveryOutcome = 'delivered' | 'duplicate' | 'unknown-account' | 'account-full';

/** The result of a delivery of several messages to one account. */
export type DeliveryResult = {
  /** One outcome for each message, in the order of the messages. */
  readonly outcomes: readonly DeliveryOutcome[];
  /** The window of the account's VacationResponse; undefined while it is not enabled. */
  readonly vacation?: VacationWindow | undefined;
};

/** The operations of the store that only Emails have. */
export type EmailStore = {
  /**
   * The immutable parts of Emails by id. Those that are not in memory are read by BatchGet (100 Emails a request,
   * requests in parallel). Unknown ids are omitted.
   */
  emailContents(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, EmailContent>>;
  /**
   * Adds a delivered message in two round trips, without loading the account. `duplicate`: an Email with this id was
   * added before. `account-full`: the account's quota has no room for it, and nothing was added.
   * @throws StoreConflict when each attempt lost the race with another commit: nothing was added, and the caller should deliver
   * again.
   */
  deliver(accountId: string, email: DeliveredEmail): Promise<DeliveryOutcome>;
  /**
   * Adds delivered messages, in one transaction if they fit.
   * @throws StoreConflict as `deliver`. Some messages may have been added: they are duplicates in the next delivery.
   */
  deliverAll(accountId: string, emails: readonly DeliveredEmail[]): Promise<DeliveryResult>;
};
