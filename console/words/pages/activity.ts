import { phrase } from '../phrase.ts';

/** Texts of the lists of received and sent messages, of the search in them, and of the page of one message. */
export const activityWords = {
  title: 'Mail in and out',
  search: { label: 'Find a message', field: 'Address, @domain, Message-ID or id of a message', action: 'Find' },
  directions: { received: 'Received', sent: 'Sent' },
  filters: { direction: 'Direction', state: 'What happened', since: 'Time', all: 'All' },
  since: { hour: 'Last hour', day: 'Last 24 hours', week: 'Last 7 days' },
  mail: (addressOrDomain: string) => phrase`Mail from and to ${addressOrDomain}`,
  withMessageId: 'Messages with this Message-ID',
  notFound: {
    title: 'No message was found',
    tries: [
      'Compare it with the original, letter by letter. An address that somebody tells you is often misspelt.',
      'Mail is kept for 90 days.',
      'Mail from elsewhere that did not reach AWS, or that AWS refused, is not on record.',
    ],
  },
  noMessages: { title: 'No messages', text: 'No message of the last 90 days fits.' },
  unknownId: {
    title: 'There is no message with this id',
    tries: [
      'Copy the id whole, from the log or from a test mail. Capital letters matter.',
      'Messages are removed from the record after 90 days.',
      'Search by the address of the recipient instead.',
    ],
  },
  messages: 'Messages', feedback: 'Bounces and complaints', sends: 'Mail is sent to this address: no bounce and no complaint is recorded.',
  what: 'What it is', incoming: 'Mail for it', outgoing: 'Mail from it', inactiveSince: 'Not active since',
  columns: { time: 'Time', direction: 'Direction', subject: 'Subject', sender: 'From', recipients: 'To, and what happened', id: 'Id' },
  more: (count: number) => `and ${count.toLocaleString()} more`,
  counted: (count: number, label: string) => `${count.toLocaleString()} ${label.toLowerCase()}`,
  nobody: 'Nobody (a message that must not be answered)',
  messageTo: (address: string) => phrase`Message to ${address}`, recipientCount: (count: number) => `${count.toLocaleString()} recipients: `,
  messageFrom: (address: string) => phrase`Message from ${address}`,
  message: 'Message', details: 'Details', submissionId: 'Submission id', receivedId: 'Id of the record', messageId: 'Message-ID of the sender', providerId: 'Id at SES',
  account: 'Account', user: 'Sent by', envelopeSender: 'Envelope sender', size: 'Size', octets: (count: number) => `${count.toLocaleString()} octets`,
  checks: 'Checks of SES', check: { spam: 'Spam', virus: 'Virus', spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC' },
  copyOf: 'Copied for the alias', reason: 'Reason', taken: 'Taken by SES', nextAttempt: 'Next attempt',
  now: 'Now in', destroyed: 'Destroyed', restorable: 'It can be restored on the page of the account.',
  created: 'Accepted', sendAt: 'To be sent', noAccount: 'None (a test mail or the like)',
  recipients: 'Recipients', choose: 'Select a recipient to see the delivery events.', recipient: 'Recipient', state: 'State',
  last: 'Last event', way: (address: string) => phrase`Delivery to ${address}`,
  openLogs: 'Log lines around this', ownLines: 'About this message', otherLines: 'Around it',
  noOwnLines: 'The log names this message at no time near this event. Lines are removed after some weeks.', noOtherLines: 'The log has no further lines within a minute.',
  noLog: 'The deployment has no such Lambda, so its log can’t be read.', monitoring: 'Errors and figures under Monitoring',
} as const;
