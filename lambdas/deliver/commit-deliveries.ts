import type { DeliveryOutcome, DeliveryResult } from '../../core/mail-types/email/email-store.ts';
import type { DeliveredEmail } from '../../core/mail-types/email/new-email.ts';
import type { MailStore } from '../../core/mail-types/mail-store/mail-store.ts';
import { StoreConflict } from '../../core/runtime/domain-errors.ts';
import { isTransient } from '../../core/runtime/errors.ts';
import type { PreparedDelivery } from './prepare-delivery.ts';

/** The outcome of one Email, and the VacationResponse window of the account. */
export type EmailDelivery = { readonly outcome: DeliveryOutcome } & Pick<DeliveryResult, 'vacation'>;

/** The outcome of each account's Email, or its failure. */
export type DeliveryOutcomes = ReadonlyMap<string, PromiseSettledResult<EmailDelivery>>;

type Stores = { readonly mailStore: Pick<MailStore, 'deliverAll'> };

/**
 * Adds the Emails of several messages to their accounts. Emails of the same account share a transaction if they fit.
 * Each Email has a separate outcome: after a failed transaction of several Emails, each is added by a separate
 * transaction.
 */
export const commitDeliveries = async (
  deliveries: readonly PreparedDelivery[], { mailStore }: Stores,
): Promise<ReadonlyMap<PreparedDelivery, DeliveryOutcomes>> => {
  const outcomes = new Map(deliveries.map((delivery) => [delivery, new Map<string, PromiseSettledResult<EmailDelivery>>()]));
  const all = deliveries.flatMap((delivery) => [...delivery.emails].map(([accountId, email]) => ({ delivery, accountId, email })));
  await Promise.all([...Map.groupBy(all, ({ accountId }) => accountId)].map(async ([accountId, ofAccount]) => {
    const results = await deliverTogether(accountId, ofAccount.map(({ email }) => email), mailStore);
    for (const [index, { delivery }] of ofAccount.entries()) outcomes.get(delivery)!.set(accountId, results[index]!);
  }));
  return outcomes;
};

const deliverTogether = async (
  accountId: string, emails: readonly DeliveredEmail[], mailStore: Stores['mailStore'],
): Promise<readonly PromiseSettledResult<EmailDelivery>[]> => {
  try {
    const { outcomes, vacation } = await mailStore.deliverAll(accountId, emails);
    return outcomes.map((outcome) => ({ status: 'fulfilled', value: { outcome, vacation } }));
  } catch (reason) {
    // The failure concerns all Emails, so another attempt would not succeed now.
    const isOfAll = reason instanceof StoreConflict || isTransient(reason);
    if (isOfAll || emails.length === 1) return emails.map(() => ({ status: 'rejected', reason }));
    const alone: PromiseSettledResult<EmailDelivery>[] = [];
    for (const email of emails) alone.push(...await deliverTogether(accountId, [email], mailStore));
    return alone;
  }
};
