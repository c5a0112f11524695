/** Texts of the search for sent messages, and of the page of one message. */
export const activityWords = {
  title: 'Trace a message',
  search: { label: 'Find a message', field: 'Address, Message-ID or submission id', action: 'Find' },
  help: {
    title: 'What you can look for',
    items: [
      'An address: the messages to it and from it, newest first, and whether mail is sent to it.',
      'A Message-ID from the header of a mail, with or without brackets: the sender’s own, or the one that SES wrote.',
      'A submission id, from a test mail or from the log.',
    ],
    scope: 'Found are messages that were sent from here in the last 90 days.',
  },
  mail: (address: string) => `Mail from and to ${address}`,
  withMessageId: 'Messages with this Message-ID',
  notFound: {
    title: 'No message was found',
    tries: [
      'Compare it with the original, letter by letter. An address that somebody tells you is often misspelt.',
      'Mail that is held or was canceled before it was sent is found by its submission id only.',
      'Mail is kept for 90 days. Mail from before the release that has this search is found by its submission id only.',
      'A message that came from elsewhere is not listed: only mail that was sent from here.',
    ],
  },
  noMessages: { title: 'No messages', text: 'None was sent from here to this address, or from it, in the last 90 days.' },
  unknownId: {
    title: 'There is no message with this submission id',
    tries: [
      'Copy the id whole, from the log or from a test mail. Capital letters matter.',
      'Messages are removed 90 days after they were sent.',
      'Search by the address of the recipient instead.',
    ],
  },
  messages: 'Messages', feedback: 'Bounces and complaints', sends: 'Mail is sent to this address: no bounce and no complaint is recorded.',
  columns: { time: 'Sent', sender: 'From', recipients: 'To, and what happened', id: 'Submission id' },
  more: (count: number) => `and ${count.toLocaleString()} more`,
  counted: (count: number, label: string) => `${count.toLocaleString()} ${label.toLowerCase()}`,
  nobody: 'Nobody (a message that must not be answered)',
  messageTo: (address: string) => `Message to ${address}`, recipientCount: (count: number) => `${count.toLocaleString()} recipients: `,
  message: 'Message', details: 'Details', submissionId: 'Submission id', messageId: 'Message-ID of the sender', providerId: 'Id at SES', account: 'Account', user: 'Sent by',
  created: 'Accepted', sendAt: 'To be sent', noAccount: 'None (a test mail or the like)',
  recipients: 'Recipients', choose: 'Select a recipient to see the delivery events.', recipient: 'Recipient', state: 'State',
  last: 'Last event', way: (address: string) => `Delivery to ${address}`,
  openLogs: 'Log lines around this', ownLines: 'About this message', otherLines: 'Around it',
  noOwnLines: 'The log names this message at no time near this event. Lines are removed after some weeks.', noOtherLines: 'The log has no further lines within a minute.',
  noLog: 'The deployment has no such Lambda, so its log can’t be read.', monitoring: 'Errors and figures under Monitoring',
} as const;
