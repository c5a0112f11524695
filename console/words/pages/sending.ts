import { phrase } from '../phrase.ts';

/** Texts of the pages of sender addresses, suppression and feedback. */
export const senderWords = {
  add: 'Add an address',
  addAction: 'Send the verification mail',
  resend: 'Send the mail again',
  remove: 'Remove',
  empty: { title: 'No sender addresses', text: 'Single addresses of other domains that may send, each confirmed by mail. Whole domains are under Domains.' },
  columns: { email: 'Address', state: 'State', created: 'Added', next: 'What it means', actions: 'Actions' },
  added: (email: string) => phrase`A verification mail was sent to ${email}`,
  addedText: 'The address can send as soon as its owner has followed the link in the mail.',
  removed: (email: string) => phrase`${email} was removed`,
  removeText: (email: string) => phrase`No mail can be sent from ${email} any more.`,
  resent: (email: string) => phrase`The verification mail was sent to ${email} again`,
} as const;

export const suppressionWords = {
  empty: { title: 'Nobody is suppressed', text: 'Addresses appear here when mail to them bounced, or when they complained.' },
  columns: { recipient: 'Recipient', level: 'State', reason: 'Reason', until: 'Until', last: 'Last', bounce: 'Bounces', complaint: 'Complaints' },
  until: { NONE: '–', SOFT: '–', HARD: 'an admin clears it', PERMANENT: 'an admin clears it' },
  find: 'Look this address up',
  notFound: 'There is no record of this recipient: mail is sent to it.',
  level: 'State',
  count: 'Count',
  firstSeen: 'First',
  lastSeen: 'Last',
  diagnostic: 'Answer of the server',
  reenable: 'Sent again after',
  kind: 'Kind',
  counts: (all: number, recent: number) => (recent > 0 ? `${all}, of them ${recent} soft` : String(all)),
  bounced: (count: number) => (count === 1 ? 'Mail bounced' : `Mail bounced ${count} times`),
  complainedAbout: (classes: string) => `Complained about ${classes}`,
  cleared: 'Cleared',
  isCleared: (recipient: string) => phrase`Mail is sent to ${recipient} again`,
  clearBounce: 'Clear bounces',
  clearComplaint: 'Clear complaints',
  clearBounceText: 'Mail is sent to this recipient again. The counters stay. If it bounces again, it counts against your reputation at SES.',
  clearComplaintText: (messageClass: string) =>
    `The recipient said that this mail is spam. Clear it only when they ask for mail again. Then they get mail of this kind again: ${messageClass}.`,
  complaintsAbout: (messageClass: string) => `Complaints: ${messageClass}`,
  classes: { TRANSACTIONAL: 'Single messages', MAILING_LIST: 'Mailing lists', BULK: 'Bulk mail' },
  activity: 'What happened to their messages',
} as const;

export const feedbackWords = {
  empty: { title: 'No bounces or complaints', text: 'They appear here within seconds after SES reports them.' },
  columns: { time: 'Time', type: 'Kind', recipient: 'Recipient', identity: 'Sender', reason: 'Reason', message: 'Message', messageClass: 'Class' },
  newest: 'Newest reports',
  all: 'All',
  byIdentity: (sender: string) => phrase`Bounces and complaints of ${sender}`,
  details: 'Details',
} as const;
