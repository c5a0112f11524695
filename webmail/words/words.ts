import type { Email, EmailAddress, Forwarding, VacationResponse } from '../jmap/types.ts';

const plural = new Intl.PluralRules('en');
const counted = (count: number, one: string, other: string): string => `${count.toLocaleString('en')} ${plural.select(count) === 'one' ? one : other}`;

/** The words of the web mail, as functions of what they name. */
export const words = {
  appName: 'Mail',
  mailboxes: 'Mailboxes',
  messages: 'Messages',
  conversation: 'Conversation',
  noSubject: '(no subject)',
  noSender: '(no sender)',
  me: 'me',
  draft: 'Draft',
  unread: (count: number): string => counted(count, 'unread message', 'unread messages'),
  inConversation: (count: number): string => counted(count, 'message', 'messages'),
  emptyMailbox: 'Nothing here.',
  loading: 'Loading…',
  notLoaded: 'A part of the page was not loaded. There may be a newer version of it.',
  reload: 'Load the page again',
  noMessage: 'No message is open.',
  notFound: 'This message is not there any more.',
  back: 'Back to the list',
  newer: 'Newer conversation',
  older: 'Older conversation',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  archive: 'Archive',
  delete: 'Delete',
  junk: 'Junk',
  notJunk: 'Not junk',
  flag: 'Flag',
  newMessage: 'New message',
  reply: 'Reply',
  replyAll: 'Reply all',
  forward: 'Forward',
  forwardAsAttachment: 'Forward as attachment',
  editAsNew: 'Edit as new',
  redirect: 'Redirect',
  continue: 'Continue writing',
  move: 'Move',
  moveTo: 'Move to',
  undo: 'Undo',
  undone: 'Undone',
  nothingToUndo: 'There is nothing to undo',
  moved: (count: number, mailbox: string): string => `${counted(count, 'message', 'messages')} moved to ${mailbox}`,
  flagged: (count: number): string => (count === 1 ? 'Flagged' : `${counted(count, 'message', 'messages')} flagged`),
  unflagged: (count: number): string => (count === 1 ? 'Flag removed' : `Flag of ${counted(count, 'message', 'messages')} removed`),
  deleteForever: 'Delete for ever',
  deletedForever: (count: number): string => `${counted(count, 'message', 'messages')} deleted for ever`,
  askForever: (count: number | undefined): string =>
    `${count === undefined ? 'All messages here' : counted(count, 'message', 'messages')} will be deleted for ever. This can’t be undone.`,
  empty: 'Empty',
  cancel: 'Cancel',
  stop: 'Stop',
  acts: 'Actions',
  actsOnTicked: 'Actions for what is selected',
  actsOnList: 'Actions for this list',
  archiveAndNewer: 'Archive, and go to the newer conversation',
  archiveAndOlder: 'Archive, and go to the older conversation',
  label: 'Label',
  labelled: (count: number, label: string): string => `${label} added to ${counted(count, 'message', 'messages')}`,
  unlabelled: (count: number, label: string): string => `${label} removed from ${counted(count, 'message', 'messages')}`,
  find: 'Search mail',
  results: 'Search results',
  nothingFound: 'Nothing was found.',
  tick: 'Select the conversation',
  tickRow: (people: string): string => `Select ${people}`,
  tickAll: 'Select all that are loaded',
  tickNone: 'Select nothing',
  tickRead: 'Select what is read',
  tickUnread: 'Select what is unread',
  tickFlagged: 'Select what is flagged',
  tickAllMatching: 'Select all here',
  ticked: (count: number): string => count.toLocaleString('en'),
  all: 'All',
  more: 'More',
  allTicked: (count: number): string => `All ${count.toLocaleString('en')}`,
  conversations: (count: number): string => counted(count, 'conversation', 'conversations'),
  working: (done: number, total: number): string => `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`,
  refusedSome: (count: number, reason: string): string => `${counted(count, 'message was', 'messages were')} not changed: ${reason}`,
  newMailbox: 'New mailbox',
  newMailboxInside: 'New mailbox inside',
  changeMailbox: 'Rename or move',
  removeMailbox: 'Remove',
  hide: 'Hide',
  showInList: 'Show',
  hidden: (mailbox: string): string => `${mailbox} is hidden`,
  shownAgain: (mailbox: string): string => `${mailbox} is shown`,
  hiddenMailboxes: (count: number): string => counted(count, 'hidden mailbox', 'hidden mailboxes'),
  menuOf: (mailbox: string): string => `Actions for ${mailbox}`,
  name: 'Name',
  nameMissing: 'A name is missing.',
  inside: 'Inside',
  topLevel: 'no other mailbox',
  saveChanges: 'Save',
  hasMailboxes: (mailbox: string): string => `“${mailbox}” has mailboxes inside. Remove or move these first.`,
  askRemove: (mailbox: string, count: number, trash: string | undefined): string => {
    if (count === 0) return `“${mailbox}” is empty. It will be removed.`;
    const messages = counted(count, 'message', 'messages');
    return trash === undefined
      ? `“${mailbox}” will be removed, and its ${messages} will be deleted for ever.`
      : `“${mailbox}” will be removed. Its ${messages} will be moved to ${trash}; those that are in other mailboxes too remain there.`;
  },
  removed: (mailbox: string): string => `${mailbox} was removed`,
  labels: 'Labels',
  newLabel: 'New label',
  colour: 'Colour',
  colours: { grey: 'Grey', red: 'Red', orange: 'Orange', yellow: 'Yellow', green: 'Green', blue: 'Blue', purple: 'Purple', pink: 'Pink' },
  add: 'Add',
  edit: 'Edit',
  editLabel: (label: string): string => `Edit ${label}`,
  removeLabel: (label: string): string => `Remove ${label}`,
  askRemoveLabel: (label: string): string => `The label “${label}” will be removed, also from the messages that have it.`,
  saving: 'Saving…',
  moving: (count: number, mailbox: string): string => `${counted(count, 'message is', 'messages are')} being moved to ${mailbox}`,
  goInbox: 'Go to the inbox',
  goSent: 'Go to Sent',
  goDrafts: 'Go to Drafts',
  goArchive: 'Go to Archive',
  goFlagged: 'Go to what is flagged',
  moreFrom: 'More from this sender',
  key: (key: string): string => `Key: ${key}`,
  settings: 'Settings',
  signOut: 'Sign out',
  showMailboxes: 'Show mailboxes',
  shortcuts: 'Keyboard shortcuts',
  shortcutsOn: 'Single-letter shortcuts are on',
  close: 'Close',
  connecting: 'The server does not answer. It is tried again.',
  refused: (reason: string): string => `The change was not made: ${reason}`,
  read: (count: number): string => `${counted(count, 'message', 'messages')} marked as read`,
  madeUnread: (count: number): string => `${counted(count, 'message', 'messages')} marked as unread`,
  newMail: (count: number): string => counted(count, 'new message', 'new messages'),
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  date: 'Date',
  details: 'Details',
  hideDetails: 'Hide details',
  attachments: 'Attachments',
  save: 'Save',
  saveAll: 'Save all',
  attach: 'Attach to your message',
  open: 'Open',
  source: 'Save the message as a file',
  printOrSave: 'Print or save',
  print: 'Print',
  printConversation: 'Print conversation',
  preparing: (done: number, total: number): string => `Preparing to print: ${words.working(done, total)}`,
  notPrinted: (reason: string): string => `This could not be printed: ${reason}`,
  noPrinting: 'the server of this page does not protect what is printed.',
  saveAsEml: 'Save as .eml',
  savingMessages: (done: number, total: number): string => `Saving messages: ${words.working(done, total)}`,
  savedMessages: (count: number): string => `${counted(count, 'message', 'messages')} saved`,
  notSaved: (reason: string): string => `This could not be saved: ${reason}`,
  tooLargeToSave: 'the conversation is larger than 2 GB. Save its messages one by one.',
  stopped: 'Stopped',
  unnamed: 'attachment',
  imagesBlocked: 'Images of other servers are not shown: they would tell the sender that you read this.',
  showImages: 'Show images',
  alwaysShowImages: (address: string): string => `Always from ${address}`,
  tooComplex: 'This message is too large or too deeply nested to show as it was made. This is its text.',
  showAnyway: 'Show it anyway',
  noFrame: 'The server of this page does not protect HTML. This is the text of the message.',
  cut: 'This message is longer than what is shown. Save it to see all of it.',
  fileCut: 'This file is longer than what is shown. Save it to see all of it.',
  originalColours: 'Original colours',
  darkColours: 'Dark colours',
  quoted: 'Quoted text',
  failed: (reason: string): string => `This could not be loaded: ${reason}`,
  again: 'Try again',
  nameHidesAddress: (address: string): string => `The name looks like an address; it came from ${address}`,
  dmarcFailed: 'This message did not come from the domain that it names as its sender, as far as our server can tell.',
  body: 'Message',
  unsubscribe: 'Unsubscribe',
  unsubscribeAt: (host: string): string => `Unsubscribe at ${host}`,
  requestWillBeSent: (host: string): string => `A request to unsubscribe will be sent to ${host}.`,
  sendingRequest: (host: string): string => `A request is being sent to ${host}.`,
  requestSent: (host: string): string => `The request to unsubscribe was sent to ${host}.`,
  requestFailed: (host: string): string => `The request to ${host} failed.`,
  messageWillBeSent: 'This message will be sent:',
  sendingMessage: 'The message is being sent.',
  messageSent: 'The message to unsubscribe was sent.',
  notSent: (reason: string): string => `The message was not sent: ${reason}`,
  maybeSent: 'The server did not answer, so the message may have been sent. Look in Sent before you try again.',
  noIdentity: 'You have no address to send from.',
  subject: 'Subject',
  text: 'Text',
  storage: (used: string, limit: string): string => `${used} of ${limit} used`,
} as const;

/** Names of mailboxes by their roles (RFC 8621 §2). Other mailboxes have names of their own. */
export const roleNames: Readonly<Record<string, string>> = { inbox: 'Inbox', archive: 'Archive', drafts: 'Drafts', sent: 'Sent', junk: 'Junk', trash: 'Trash' };

/** The words of the search. */
export const searchWords = {
  searchMail: 'Search mail',
  suggestions: 'Suggestions',
  suggested: (count: number): string => (count === 0 ? '' : counted(count, 'suggestion', 'suggestions')),
  searching: 'Searching…',
  end: 'End the search',
  narrow: 'Narrow the search',
  where: 'Where to search',
  everywhere: 'Everywhere but Trash and Junk',
  inMailbox: (mailbox: string): string => `In ${mailbox}`,
  unread: 'Unread',
  flagged: 'Flagged',
  hasAttachment: 'Has attachment',
  lastWeek: 'Last 7 days',
  lastMonth: 'Last month',
  unknownMailbox: (name: string): string => `There is no mailbox “${name}”. The search ignores it.`,
  unknownLabel: (name: string): string => `“${name}” can't be a label. The search ignores it.`,
  badDate: (value: string): string => `“${value}” is not a date. Write 2026-11-30, 2026-11, 2026, today, yesterday, or 7d, 2w, 3m, 1y ago.`,
  badSize: (value: string): string => `“${value}” is not a size. Write 5mb or 200kb.`,
  unknownValue: (operator: string, value: string, known: readonly string[]): string =>
    `The search does not know “${operator}:${value}”. It knows ${known.map((each) => `${operator}:${each}`).join(', ')}.`,
  cut: 'The search is too long. Only its beginning is used.',
} as const;

/** Characters that turn the direction of text, with which a name can hide what it is. */
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Whether a display name pretends to be an address, or turns the direction of text. */
export const isDisguised = ({ name, email }: EmailAddress): boolean => name !== null && name !== email && (name.includes('@') || bidiControls.test(name));

/** Alphabets with letters that look like Latin ones. */
const lookAlikes = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** An address as it is shown: a domain that mixes alphabets, and so can look like another one, by its ASCII form (RFC 5890). */
export const shownAddress = (email: string): string => {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (!lookAlikes.test(domain) || !/\p{Script=Latin}/u.test(domain)) return email;
  return `${email.slice(0, -domain.length)}${URL.parse(`http://${domain}`)?.hostname ?? domain}`;
};

/** What is shown for a person. A name that is a disguise gives way to the address. */
export const personName = (address: EmailAddress): string => (!isDisguised(address) && address.name?.trim()) || shownAddress(address.email);

/** Tells where the mail of an account is forwarded to now. Undefined when it is not. */
export const forwarded = ({ addresses, unconfirmed, keepsCopy }: Forwarding): string | undefined => {
  const to = addresses.filter((address) => !unconfirmed.includes(address)).map(shownAddress);
  if (to.length === 0) return undefined;
  return `Mail is forwarded to ${new Intl.ListFormat('en').format(to)}${keepsCopy ? '.' : '; no copy is kept here.'}`;
};

/** Tells that an account answers those who write to it now, and on which day it does so last. Undefined when it does not. */
export const awayNote = (
  { isEnabled, fromDate, toDate }: Pick<VacationResponse, 'isEnabled' | 'fromDate' | 'toDate'>,
  now = Date.now(),
): string | undefined => {
  if (!isEnabled || (fromDate !== null && now < Date.parse(fromDate)) || (toDate !== null && now >= Date.parse(toDate))) return undefined;
  // The end is the first moment after it: often the midnight after the last day.
  return toDate === null
    ? 'Vacation response is on.'
    : `Vacation response is on until ${new Date(Date.parse(toDate) - 1).toLocaleDateString([], { dateStyle: 'long' })}.`;
};

const sameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString();

/** A time as a list shows it: of today the time of day, of this year the day, else the date. */
export const shortTime = (iso: string, now = new Date()): string => {
  const time = new Date(iso);
  if (sameDay(time, now)) return time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  if (time.getFullYear() === now.getFullYear()) return time.toLocaleDateString([], { month: 'short', day: 'numeric' });
  return time.toLocaleDateString([], { year: 'numeric', month: '2-digit', day: '2-digit' });
};

export const longTime = (iso: string): string => new Date(iso).toLocaleString([], { dateStyle: 'full', timeStyle: 'short' });

/** A time for paper, which may be read in another time zone. */
export const printedTime = (iso: string): string => new Date(iso).toLocaleString([], { dateStyle: 'full', timeStyle: 'long' });

export const octets = (size: number): string => {
  if (size < 1000) return `${size} bytes`;
  const [value, unit] = size < 1e6 ? [size / 1e3, 'kB'] : size < 1e9 ? [size / 1e6, 'MB'] : [size / 1e9, 'GB'];
  return `${value.toLocaleString([], { maximumFractionDigits: value < 10 ? 1 : 0 })} ${unit}`;
};

type RowFacts = {
  readonly labels: readonly string[];
  readonly place?: string | undefined;
  readonly isUnread: boolean;
  readonly isFlagged: boolean;
  readonly people: string;
  readonly count: number;
  readonly newest: Email;
};

/** A row of the list for a person who hears it. */
export const rowWords = ({ isUnread, isFlagged, people, count, newest, place, labels }: RowFacts): string =>
  [
    isUnread && 'Unread',
    isFlagged && 'Flagged',
    count > 1 ? `${people}, ${words.inConversation(count)}` : people,
    newest.subject || words.noSubject,
    newest.hasAttachment && 'Attachment',
    ...labels,
    place,
    shortTime(newest.receivedAt),
  ]
    .filter((part) => part !== false && part !== undefined)
    .join('. ');
