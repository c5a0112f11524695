import type { GroupWriters } from '../../../contract/admin/aliases.ts';
import { phrase } from '../phrase.ts';

const writersText: { readonly [Writers in GroupWriters]: string } = {
  ANYONE: 'Mail from everybody reaches the members.',
  PEOPLE_HERE: 'Only people with an address here may write, when the mail proves that it is theirs. Mail of others is refused.',
  MEMBERS: 'Only those who get the mail of the group may write, when the mail proves that it is theirs. Mail of others is refused.',
};

export const groupWords = {
  details: 'Group',
  create: 'Create a group',
  createAction: 'Create the group',
  empty: { title: 'No groups yet', text: 'A group is an address whose mail goes to several people.' },
  columns: { email: 'Address', name: 'Name', members: 'Members', created: 'Created', added: 'Added', actions: 'Actions' },
  description: 'Description',
  writersText,
  edit: 'Change',
  editName: (name: string) => phrase`Change ${name}`,
  saved: 'The group was changed',
  remove: 'Delete the group',
  removeText: 'The address is free at once, for another group or an account, and mail to it is refused. The members keep the mail that they received.',
  removed: (email: string) => phrase`${email} was deleted`,
  noMembers: { title: 'No members', text: 'Mail for the group is refused until somebody gets it.' },
  wasDeleted: 'Was deleted',
  paused: 'Gets no mail',
  addMembers: 'Add members',
  addText: 'Addresses of accounts, of groups, and outside. Type or paste any number, separated by blanks, commas or lines.',
  addresses: 'Addresses',
  adding: (done: number, all: number) => `${done.toLocaleString()} of ${all.toLocaleString()}`,
  added: (count: number) => (count === 1 ? 'One member was added' : `${count.toLocaleString()} members were added`),
  nobodyNew: 'All of them were members already',
  refused: 'These were not added. Correct them above, or leave them out.',
  noAddress: 'This is no e-mail address.',
  removeMember: 'Remove',
  removeMemberText: 'They get no further mail of the group by this membership, and keep what they received.',
  memberRemoved: (name: string) => phrase`${name} was removed`,
  receivers: 'Who gets it in the end',
  receiversText: 'Everybody once, also through groups in the group.',
  noReceivers: { title: 'Nobody', text: 'Mail for the group is refused.' },
  groups: 'Groups',
  groupsOf: (name: string) => phrase`Groups of which ${name} is a member`,
  noGroups: { title: 'No groups', text: 'It gets no mail by a group.' },
  join: 'Add to a group',
  joined: (email: string) => phrase`Added to ${email}`,
  leave: 'Remove from the group',
  leaveText: (name: string, group: string) => phrase`${name} gets no mail of ${group} by this membership any more, and keeps what was received.`,
} as const;

export const catchAllWords = {
  title: 'Catch-all',
  label: 'Mail for addresses that do not exist',
  none: 'Refused',
  goesTo: 'Goes to',
  meaning: 'What it means',
  gone: 'Refused, because its receiver was deleted',
  text:
    'No mail for the domain is refused any more: whoever gets the catch-all also gets the spam for every address that somebody invents, and nobody ' +
    'who mistypes an address is told so.',
  set: 'Set a catch-all',
  change: 'Change',
  saved: (domain: string) => phrase`${domain} has a catch-all`,
  end: 'End it',
  endTitle: 'End the catch-all',
  endText: 'Mail for addresses that do not exist is refused again. What was received stays.',
  ended: (domain: string) => phrase`${domain} has no catch-all any more`,
} as const;
