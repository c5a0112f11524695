import { keepForwarded, type KeepDependencies } from '../../core/blobs/forwarded-emails.ts';
import type { DeliveryOutcome, DeliveryResult, DeliveredEmail } from '../../core/mail/email/email-store.ts';
import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import type { BegunDelivery } from './begin-delivery.ts';
import { changeRecord, entriesOfUnknown, type RecordDependencies } from './received/received-record.ts';
import { isTemporary } from './temporary-failure.ts';

/** The outcome of one Email, and the VacationResponse window of the account. */
export type EmailDelivery = { readonly outcome: DeliveryOutcome } & Pick<DeliveryResult, 'vacation'>;

/** A delivery with the outcome of each account's Email, or its failure, and the result of recording the message. */
export type CommittedDelivery = BegunDelivery & {
  readonly outcomes: ReadonlyMap<string, PromiseSettledResult<EmailDelivery>>;
  readonly recording: PromiseSettledResult<void>;
};

type Stores = KeepDependencies & { readonly mailStore: Pick<MailStore, 'deliverAll'> };

/**
 * Adds the Emails of several messages to their accounts, and records the messages at the same time, so that the records
 * take no further round trip. Emails of the same account share a transaction if they fit. Each Email has a separate
 * outcome: after a failed transaction of several Emails, each is added by a separate transaction.
 */
export const commitDeliveries = async (
  deliveries: readonly BegunDelivery[],
  dependencies: Stores & RecordDependencies,
): Promise<readonly CommittedDelivery[]> => {
  const [outcomes, recordings] = await Promise.all([
    addEmails(deliveries, dependencies),
    Promise.allSettled(deliveries.map((delivery) => recordMessage(delivery, dependencies))),
  ]);
  return deliveries.map((delivery, index) => ({ ...delivery, outcomes: outcomes[index]!, recording: recordings[index]! }));
};

/** Records what is planned for the message. The record of a message that waited exists, and changes for recipients without an account. */
const recordMessage = ({ plan: { mail, received, unknown, undeliverable } }: BegunDelivery, dependencies: RecordDependencies): Promise<void> =>
  received ? dependencies.received.record(received) : changeRecord(mail, entriesOfUnknown(mail, unknown, undeliverable ?? {}), dependencies);

const addEmails = async (deliveries: readonly BegunDelivery[], stores: Stores): Promise<readonly CommittedDelivery['outcomes'][]> => {
  const { mailStore } = stores;
  const outcomes = deliveries.map(() => new Map<string, PromiseSettledResult<EmailDelivery>>());
  const all = deliveries.flatMap(({ emails }, delivery) => [...emails].map(([accountId, email]) => ({ delivery, accountId, email })));
  const isForwarded = ({ delivery, accountId }: (typeof all)[number]): boolean => deliveries[delivery]!.plan.withoutCopy.has(accountId);
  const keeping = all.filter(isForwarded).map(async ({ delivery, accountId, email }) => {
    const [result] = await Promise.allSettled([keepForwarded(accountId, email, stores)]);
    outcomes[delivery]!.set(accountId, result);
  });
  await Promise.all([
    ...keeping,
    ...[
      ...Map.groupBy(
        all.filter((each) => !isForwarded(each)),
        ({ accountId }) => accountId,
      ),
    ].map(async ([accountId, ofAccount]) => {
      const results = await deliverTogether(
        accountId,
        ofAccount.map(({ email }) => email),
        mailStore,
      );
      for (const [index, { delivery }] of ofAccount.entries()) outcomes[delivery]!.set(accountId, results[index]!);
    }),
  ]);
  return outcomes;
};

const deliverTogether = async (
  accountId: string,
  emails: readonly DeliveredEmail[],
  mailStore: Stores['mailStore'],
): Promise<readonly PromiseSettledResult<EmailDelivery>[]> => {
  try {
    const { outcomes, vacation } = await mailStore.deliverAll(accountId, emails);
    return outcomes.map((outcome) => ({ status: 'fulfilled', value: { outcome, vacation } }));
  } catch (reason) {
    // The failure concerns all Emails, so another attempt would not succeed now.
    const isOfAll = isTemporary(reason);
    if (isOfAll || emails.length === 1) return emails.map(() => ({ status: 'rejected', reason }));
    const alone: PromiseSettledResult<EmailDelivery>[] = [];
    for (const email of emails) alone.push(...(await deliverTogether(accountId, [email], mailStore)));
    return alone;
  }
};
