/**
 * Kinds of facts about a recipient. `withheld`: the recipient is suppressed; `refused`: SES did not accept the message;
 * `unconfirmed`: SES never said whether it accepted the message.
 */
export type DeliveryFactKind =
  'withheld' | 'refused' | 'unconfirmed' | 'delayed' | 'delivered' | 'bounced' | 'softlyBounced' | 'complained';

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
export type DeliveryStatus = {
  readonly delivered: 'queued' | 'yes' | 'no' | 'unknown';
  readonly displayed: 'unknown';
  readonly smtp_reply: string;
};

/** Maximum characters of a reply that are kept. */
const maxReply = 500;

/**
 * An SMTP reply on one line of printable ASCII, with its lines joined as RFC 8621 §7 describes for `smtpReply`: each
 * line after the first loses the prefix that it shares with the first one (the code, and the status code if both have
 * one).
 */
export const singleLineReply = (reply: string): string => {
  const [first = '', ...others] = reply.split(/\r\n|\r|\n/).map((line) => line.trim().replace(/^(\d{3})-/, '$1 ')).filter((line) => line !== '');
  const code = /^\d{3} (?:[245]\.\d{1,3}\.\d{1,3} )?/.exec(first)?.[0] ?? '';
  const withoutCode = (line: string): string => (line.startsWith(code) ? line.slice(code.length) : line.replace(/^\d{3} /, ''));
  const whole = [first, ...others.map(withoutCode)].join(' ');
  return whole.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/[^ -~]/gu, '?').replaceAll(/ {2,}/g, ' ').trim().slice(0, maxReply);
};

const isBefore = (one: DeliveryFact, other: DeliveryFact): boolean => (one.at === other.at ? one.reply < other.reply : one.at < other.at);

/** The facts with one more; the same object when it changes nothing. */
export const withFact = (facts: DeliveryFacts, kind: DeliveryFactKind, { at, reply }: DeliveryFact): DeliveryFacts => {
  const fact = { at, reply: singleLineReply(reply) };
  const known = facts[kind];
  const replaces = known === undefined || (kind === 'delayed' ? isBefore(known, fact) : isBefore(fact, known));
  return replaces ? { ...facts, [kind]: fact } : facts;
};

/**
 * The fact for which delivery has failed; undefined when it has not. A permanent bounce outweighs a delivery: the next
 * server accepted the mail and returned it later. Any other failure does not: a soft bounce after a delivery is an
 * out-of-office reply or the like, and SES delivers nothing that it has refused.
 */
export const failureOf = (
  { withheld, refused, unconfirmed, bounced, softlyBounced, delivered }: DeliveryFacts,
): DeliveryFact | undefined => bounced ?? (delivered ? undefined : withheld ?? refused ?? unconfirmed ?? softlyBounced);

/**
 * Whether a later delivery event could outweigh the failure: a soft bounce may be an out-of-office reply that arrived
 * before the event of the delivery.
 */
export const isProvisionalFailure = (facts: DeliveryFacts): boolean =>
  facts.softlyBounced !== undefined && failureOf(facts) === facts.softlyBounced;

/** The status that follows from the facts. It is `unknown` when SES never said whether it accepted the message. */
export const deliveryStatusOf = (facts: DeliveryFacts): DeliveryStatus => {
  const { unconfirmed, delivered, delayed } = facts;
  const failure = failureOf(facts);
  if (failure) return { delivered: failure === unconfirmed ? 'unknown' : 'no', displayed: 'unknown', smtp_reply: failure.reply };
  if (delivered) return { delivered: 'yes', displayed: 'unknown', smtp_reply: delivered.reply };
  return { delivered: 'queued', displayed: 'unknown', smtp_reply: delayed?.reply ?? '250 2.0.0 queued' };
};
