/**
 * Kinds of facts about a recipient of a submission. `withheld`: the recipient is suppressed; `refused`: SES did not
 * accept the message.
 */
export type DeliveryFactKind = 'withheld' | 'refused' | 'delayed' | 'delivered' | 'bounced' | 'softlyBounced' | 'complained';

/** One fact about a recipient. */
export type DeliveryFact = {
  /** RFC 3339 in UTC with milliseconds. */
  readonly at: string;
  /** The SMTP reply of the recipient's server, or a text in the same form. */
  readonly reply: string;
};

/**
 * The known facts about one recipient. Facts arrive in any order and more than once. {@link withFact} keeps the
 * earliest fact of each kind, and the latest delay, so the result does not depend on that order.
 */
export type DeliveryFacts = { readonly [Kind in DeliveryFactKind]?: DeliveryFact };

/** RFC 8621 §7 "deliveryStatus". */
export type DeliveryStatus = { readonly delivered: 'queued' | 'yes' | 'no'; readonly displayed: 'unknown'; readonly smtp_reply: string };

const isBefore = (one: DeliveryFact, other: DeliveryFact): boolean => (one.at === other.at ? one.reply < other.reply : one.at < other.at);

/** The facts with one more; the same object when it changes nothing. */
export const withFact = (facts: DeliveryFacts, kind: DeliveryFactKind, fact: DeliveryFact): DeliveryFacts => {
  const known = facts[kind];
  const replaces = known === undefined || (kind === 'delayed' ? isBefore(known, fact) : isBefore(fact, known));
  return replaces ? { ...facts, [kind]: fact } : facts;
};

/**
 * The status that follows from the facts. A permanent bounce outweighs a delivery: the next server accepted the mail
 * and returned it later. A soft bounce after a delivery does not count, because it is an out-of-office reply or the
 * like. A soft bounce without a delivery means that SES has given up.
 */
export const deliveryStatusOf = ({ withheld, refused, bounced, softlyBounced, delivered, delayed }: DeliveryFacts): DeliveryStatus => {
  const failure = withheld ?? refused ?? bounced ?? (delivered ? undefined : softlyBounced);
  if (failure) return { delivered: 'no', displayed: 'unknown', smtp_reply: failure.reply };
  if (delivered) return { delivered: 'yes', displayed: 'unknown', smtp_reply: delivered.reply };
  return { delivered: 'queued', displayed: 'unknown', smtp_reply: delayed?.reply ?? '250 2.0.0 queued' };
};
