import { phrase } from '../phrase.ts';

export const accountWords = {
  create: 'Create an account', createAction: 'Create the account',
  empty: { title: 'No accounts yet', text: 'An account holds the mail of a person or a team.' },
  columns: {
    name: 'Name', email: 'Address', kind: 'Kind', created: 'Added', role: 'Role', user: 'User', state: 'State', send: 'Sends', domain: 'Domain',
    account: 'Account',
    actions: 'Actions',
  },
  shared: 'Shared', personal: 'Personal', details: 'Account', members: 'Members', aliases: 'Addresses',
  limits: 'Use and limits', storage: 'Storage', messages: 'Messages', perMinute: 'Recipients in a minute', perDay: 'Recipients on a day (UTC)',
  upTo: (max: string) => `up to ${max}`,
  of: (used: string, max: string) => `${used} of ${max}`, free: (left: string) => `${left} left`,
  nearlyFull: (left: string) => `Nearly full: ${left} left`,
  full: 'Full: new mail waits, and is bounced after 20 hours. Raise the limit, or have mail deleted.',
  addMember: 'Add a member', changeRole: 'Change', roleOf: 'Role of', removeMember: 'Remove', gone: 'No access any more', addAlias: 'Add an address', edit: 'Change', editName: (name: string) => phrase`Change ${name}`, delete: 'Delete',
  remove: 'Remove the account',
  editAlias: 'Change the address', removeAlias: 'Delete the address', primary: 'first address',
  makeFirst: 'Make first', makeFirstTitle: 'Make this the first address',
  makeFirstText: 'The account is named by this address. The address that was the first one stays, and can then be moved or deleted.',
  madeFirst: (email: string) => phrase`${email} is the first address now`,
  move: 'Move', moveTitle: 'Move the address', moveText: 'Mail that arrives from now on is delivered to the other account, which can’t send from the '
    + 'address before you allow it. Mail that was received stays where it is.',
  moved: (email: string) => phrase`${email} was moved`,
  removeText: 'Nobody can read the account any more, and its addresses reject mail. Its mail is kept for a time, in which you can restore '
    + 'the account on the page of accounts. Then the account, its mail and its addresses are removed.',
  deleted: (name: string) => phrase`${name} was deleted`,
  deletedText: 'You can restore the account, or remove it at once, above the list of accounts.',
  removals: 'Deleted accounts', keptUntil: 'Kept until',
  restore: 'Restore', restored: (name: string) => phrase`${name} was restored`,
  removeNow: 'Remove now', removeNowText: 'The account, all its mail and all its addresses are removed. Large accounts take a while. This can’t be undone.', removedSoFar: (count: string) => `${count} removed in this step`,
  removing: (name: string) => phrase`${name} is being removed`,
  removingText: 'Nobody can read it any more, and its addresses reject mail. Its messages are removed in the background. '
    + 'Until that has ended, its addresses can’t be given to another account.',
  removalEnded: (name: string) => phrase`${name} was removed`, removalEndedText: 'Its addresses can be given to another account.',
  removeMemberText: 'can’t read or write this account’s mail any more.',
  removeAliasText: 'Mail to this address is rejected from now on.',
  saved: 'The account was changed', added: (email: string) => phrase`${email} was added`, changed: (email: string) => phrase`${email} was changed`,
  removed: (email: string) => phrase`${email} was deleted`,
  noAliases: { title: 'No addresses', text: 'Mail reaches an account by its addresses.' },
  noMembers: { title: 'No members', text: 'Nobody reads this account.' },
} as const;

export const deletedMailWords = {
  title: 'Deleted mail',
  empty: { title: 'No deleted mail', text: 'Messages that a member deletes for good stay here for a time.' },
  columns: {
    from: 'From', subject: 'Subject', received: 'Received', size: 'Size', destroyed: 'Deleted', by: 'Deleted by', until: 'Kept until',
  },
  restore: 'Restore', restoreSince: 'Restore all since then', purge: 'Erase', purgeAll: 'Erase all',
  restored: (count: number) => (count === 1 ? 'One message was restored' : `${count.toLocaleString()} messages were restored`),
  restoreSinceText: 'All messages that were deleted since then return to their mailboxes, or to the mailbox “Restored”.',
  purgeText: 'The messages are removed within half an hour. This can’t be undone.',
  purged: 'The messages are being removed',
} as const;

export const aliasWords = {
  all: 'All accounts',
  empty: { title: 'No addresses', text: 'An account gets its first address when it is made. Add further ones here.' },
} as const;
