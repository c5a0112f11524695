/**
 * A kind of fact. `withheld`: the recipient is suppressed; `refused`: SES did not accept the message; `unconfirmed`:
 * SES never confirmed whether it accepted the message.
 */
export type DeliveryFactKind = 'withheld' | 'refused' | 'unconfirmed' | 'delayed' | 'delivered' | 'bounced' | 'softlyBounced' | 'complained';

/** One fact about a recipient. */
export type DeliveryFact = {
  /** Time of the fact: RFC 3339 in UTC with milliseconds. */
  readonly at: string;
  /** The SMTP reply of the recipient's server, or a text in the form of one. */
  readonly reply: string;
};

/**
 * The known facts about one recipient. Facts arrive in any order and more than once. {@link withFact} keeps the
 * earliest fact of each kind, and the latest delay, so the result does not depend on their order.
 */
export type DeliveryFacts = { readonly [Kind in DeliveryFactKind]?: DeliveryFact };

/** The DeliveryStatus object of RFC 8621 §7. */
export type DeliveryStatus = { readonly delivered: 'queued' | 'yes' | 'no' | 'unknown'; readonly displayed: 'unknown'; readonly smtp_reply: string };

/** Maximum characters of a stored reply. */
const maxReply = 500;

/**
 * An SMTP reply on one line of printable ASCII. Its lines are joined as RFC 8621 §7 describes for `smtpReply`: the
 * reply code is removed from each later line, and the enhanced status code too if the line repeats it.
 */
export const singleLineReply = (reply: string): string => {
  const [first = '', ...others] = reply
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim().replace(/^(\d{3})-/, '$1 '))
    .filter((line) => line !== '');
  const code = /^\d{3} (?:[245]\.\d{1,3}\.\d{1,3} )?/.exec(first)?.[0] ?? '';
  const withoutCode = (line: string): string => (line.startsWith(code) ? line.slice(code.length) : line.replace(/^\d{3} /, ''));
  const whole = [first, ...others.map(withoutCode)].join(' ');
  return whole
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(/[^ -~]/gu, '?')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
    .slice(0, maxReply);
};

const isBefore = (one: DeliveryFact, other: DeliveryFact): boolean => (one.at === other.at ? one.reply < other.reply : one.at < other.at);

/** Adds a fact. @returns the same object when the fact changes nothing. */
export const withFact = (facts: DeliveryFacts, kind: DeliveryFactKind, { at, reply }: DeliveryFact): DeliveryFacts => {
  const fact = { at, reply: singleLineReply(reply) };
  const known = facts[kind];
  const replaces = known === undefined || (kind === 'delayed' ? isBefore(known, fact) : isBefore(fact, known));
  return replaces ? { ...facts, [kind]: fact } : facts;
};

/**
 * The fact that caused the delivery to fail; undefined when delivery has not failed. A permanent bounce outweighs a
 * delivery: the next server accepted the mail and returned it later. Other failures do not: a soft bounce after a
 * delivery is an automatic reply, and SES delivers nothing that it has refused.
 */
export const failureOf = ({ withheld, refused, unconfirmed, bounced, softlyBounced, delivered }: DeliveryFacts): DeliveryFact | undefined =>
  bounced ?? (delivered ? undefined : (withheld ?? refused ?? unconfirmed ?? softlyBounced));

/** Whether a later delivery would outweigh the failure, because a soft bounce may be an automatic reply. */
export const isProvisionalFailure = (facts: DeliveryFacts): boolean => facts.softlyBounced !== undefined && failureOf(facts) === facts.softlyBounced;

/**
 * The delivery status that follows from the facts. It is `unknown` when SES never confirmed whether it accepted the
 * message.
 */
export const deliveryStatusOf = (facts: DeliveryFacts): DeliveryStatus => {
  const { unconfirmed, delivered, delayed } = facts;
  const failure = failureOf(facts);
  if (failure) return { delivered: failure === unconfirmed ? 'unknown' : 'no', displayed: 'unknown', smtp_reply: failure.reply };
  if (delivered) return { delivered: 'yes', displayed: 'unknown', smtp_reply: delivered.reply };
  return { delivered: 'queued', displayed: 'unknown', smtp_reply: delayed?.reply ?? '250 2.0.0 queued' };
};
