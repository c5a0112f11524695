/**
 * What is known about one recipient of a submission. Facts come in any order and more than once; {@link withFact} keeps, of each kind, the earliest (of
 * delays the latest), so that what is known in the end does not depend on how it came.
 */
export type DeliveryFactKind = 'withheld' | 'refused' | 'delayed' | 'delivered' | 'bounced' | 'softlyBounced' | 'complained';

/** When (RFC 3339 in UTC with milliseconds), and what the other side said, as an SMTP reply where there was one. */
export type DeliveryFact = { readonly at: string; readonly reply: string };

export type DeliveryFacts = { readonly [Kind in DeliveryFactKind]?: DeliveryFact };

/** RFC 8621 §7 "deliveryStatus". */
export type DeliveryStatus = { readonly delivered: 'queued' | 'yes' | 'no'; readonly displayed: 'unknown'; readonly smtp_reply: string };

const isBefore = (one: DeliveryFact, other: DeliveryFact): boolean => (one.at === other.at ? one.reply < other.reply : one.at < other.at);

/** The facts with one more; the same object when it tells nothing new. */
export const withFact = (facts: DeliveryFacts, kind: DeliveryFactKind, fact: DeliveryFact): DeliveryFacts => {
  const known = facts[kind];
  const isNews = known === undefined || (kind === 'delayed' ? isBefore(known, fact) : isBefore(fact, known));
  return isNews ? { ...facts, [kind]: fact } : facts;
};

/**
 * A bounce for good outweighs a delivery: the next server took the mail and returned it. One that may pass does not: after a delivery it is an
 * out-of-office answer or the like; without one SES has given up.
 */
export const deliveryStatusOf = ({ withheld, refused, bounced, softlyBounced, delivered, delayed }: DeliveryFacts): DeliveryStatus => {
  const failure = withheld ?? refused ?? bounced ?? (delivered ? undefined : softlyBounced);
  if (failure) return { delivered: 'no', displayed: 'unknown', smtp_reply: failure.reply };
  if (delivered) return { delivered: 'yes', displayed: 'unknown', smtp_reply: delivered.reply };
  return { delivered: 'queued', displayed: 'unknown', smtp_reply: delayed?.reply ?? '250 2.0.0 queued' };
};
