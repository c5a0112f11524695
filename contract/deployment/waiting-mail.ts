/**
 * Mail that waits for a full account. It is delayed in the queue of received mail, and each attempt to deliver it is a
 * new message of that queue. SQS counts it among the messages that are not visible, and measures its age from the last
 * attempt. Therefore the deliver Lambda logs the time since SES received the mail at each attempt, and a metric filter
 * makes it a metric.
 */
export const waitingMail = {
  /** The path in the stack of the queue of received mail. */
  queue: 'InboundMail/Waiting',
  /** The name of the item of `queues` that shows mail for full accounts. */
  name: 'InboundMail/FullAccounts',
  /** The metric in the stack's own namespace: seconds since SES received the mail, measured at each attempt. */
  metric: 'WaitingForRoomSeconds',
  /** Minutes within which each waiting message has at least one attempt. SQS delays a message by at most 15 minutes. */
  attemptMinutes: 30,
  /** Hours of waiting after which an alarm starts. */
  alarmHours: 2,
} as const;
