/**
 * Mail that waits for room in a full account. It is delayed in the queue of arrived mail, and each attempt to deliver it
 * is a new message of that queue. SQS counts it among the messages that are not visible, and its age from the last
 * attempt. The log of the deliver Lambda therefore says how long the mail has waited since SES received it, and a metric
 * filter makes that a metric: one measurement for each attempt.
 */
export const waitingMail = {
  /** The queue of arrived mail, by its path in the stack. */
  queue: 'InboundMail/Waiting',
  /** The name of the mail that waits for room, where monitoring lists it beside the queues. */
  name: 'InboundMail/FullAccounts',
  /** The metric, in the stack's own namespace: seconds since SES received the mail of an attempt. */
  metric: 'WaitingForRoomSeconds',
  /** Minutes in which there is at least one attempt for each waiting message: SQS delays a message by 15 at most. */
  attemptMinutes: 30,
  /** Hours after which an alarm starts. */
  alarmHours: 2,
} as const;
