/** The words about messages that wait, and about what became of those that were sent. */
export const submissionWords = {
  waiting: 'Waiting to be sent',
  nothingWaits: 'Nothing waits to be sent.',
  willBeSent: (time: string): string => `Will be sent: ${time}.`,
  change: 'Change',
  cancelSending: 'Don’t send',
  notCanceled: (reason: string): string => `It can’t be taken back: ${reason}`,
  delivered: 'Delivered to everybody.',
  onItsWay: 'Sent.',
  notDelivered: 'Not delivered to',
  writeAgain: 'Write to them again',
  noMailbox: 'This account has no mailbox for drafts or for sent mail.',
} as const;
