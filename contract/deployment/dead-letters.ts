/** The actions on dead letters: process them again, tell their senders that they are not delivered, or remove them. */
export const deadLetterActions = ['RETRY', 'RETURN', 'DROP'] as const;
export type DeadLetterAction = (typeof deadLetterActions)[number];

/** A queue whose messages can become dead letters. */
export type DeadLetterQueue = {
  /** The short name of the Lambda that could not process them. */
  readonly lambda: string;
  /** The actions on its dead letters. */
  readonly actions: readonly DeadLetterAction[];
};

const all = ['RETRY', 'RETURN', 'DROP'] as const;
const withoutSender = ['RETRY', 'DROP'] as const;

/** The queues by their path in the stack (contract/deployment/monitored-resources.ts). */
export const deadLetterQueues: { readonly [place: string]: DeadLetterQueue } = {
  'InboundMail/Waiting': { lambda: 'deliver', actions: all },
  // The outbox queues mail that was not sent again, so that dropping a queue's message has no effect.
  'OutboundMail/Waiting': { lambda: 'submit', actions: ['RETRY', 'RETURN'] },
  'OutboundMail/Events': { lambda: 'mail-events', actions: withoutSender },
  'AccountRemoval/Waiting': { lambda: 'account-removal', actions: withoutSender },
  'MailCleanup/Waiting': { lambda: 'mail-cleanup', actions: withoutSender },
  'Push/Waiting': { lambda: 'push-delivery', actions: withoutSender },
  // Positions in a stream, which no queue takes back.
  'Push/FailedNotifications': { lambda: 'notify', actions: ['DROP'] },
  'Support/Waiting': { lambda: 'role-assumptions', actions: withoutSender },
};

/** Maximum deliveries of a message before it becomes a dead letter. */
export const maxDeliveries = 5;

/** Maximum dead letters that one call lists or names. */
export const maxDeadLetters = 100;

/** Maximum milliseconds that one call spends on dead letters. API Gateway waits 30 seconds for the response. */
export const deadLetterWorkTime = 15_000;
