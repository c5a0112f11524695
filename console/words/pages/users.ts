import { firstSignInSteps, temporaryPasswordValidity } from '../../../contract/oauth/first-sign-in.ts';
import { temporaryPasswordDays, type Mfa } from '../../../contract/oauth/oauth.ts';
import { isolated } from '../../../contract/values/isolated.ts';
import { phrase } from '../phrase.ts';

export const userWords = {
  invite: 'Invite a person',
  create: 'Send the invitation',
  empty: { title: 'No users yet', text: 'Invite the first person.' },
  columns: { name: 'Name', email: 'Sign-in', state: 'State', admin: 'Admin', lastSignIn: 'Last sign-in', created: 'Added' },
  passwordUntil: 'Temporary password valid until',
  clients: 'Programs of the last 90 days',
  never: 'never',
  ownClients: { console: 'This console', cli: 'The command line of Postrider' },
  details: 'User',
  shown: { all: 'All but deleted', active: 'Active', deactivated: 'Deactivated', admins: 'Admins', deleted: 'Deleted' },
  signIns: 'Signs in as',
  accounts: 'Accounts',
  aliases: 'Mail addresses',
  primaryAccount: 'Own account',
  noAccounts: { title: 'No accounts', text: 'The person can sign in, but has no mail.' },
  actions: 'Actions',
  edit: 'Change the name',
  deactivate: 'Deactivate',
  activate: 'Activate',
  remove: 'Delete',
  connect: 'Connect a client',
  makeAdmin: 'Make an admin',
  changeRole: 'Change role',
  endAdmin: 'Remove admin rights',
  needsAll: 'Only an admin with the role All may do this.',
  addAccount: 'Add to an account',
  leaveAccount: 'Remove access',
  noAccount: 'None: no mail arrives for them.',
  secondFactor: 'Second factor',
  giveAccount: 'Create a mail account',
  resend: 'Resend the invitation',
  resent: (email: string) => phrase`The invitation was sent to ${email} again`,
  resendText: 'Each gets another temporary password by mail. The old one no longer works. Whoever has signed in already gets none.',
  activateText: 'They can sign in again, with the same password.',
  resentText: `It has a new temporary password, valid for ${temporaryPasswordDays} days. The old one no longer works.`,
  roleText: 'Admins operate the deployment in this console, as far as their role goes. It is in force with their next call.',
  endAdminText: 'The person loses access to this console with the next call.',
  leaveText: (account: string) => phrase`The person can’t read the mail of ${account} any more.`,
  restore: 'Restore',
  restored: (name: string) => phrase`${name} was restored, and can sign in again`,
  keptUntil: 'Kept until',
  restoreWith: 'Restore with another sign-in address',
  addressGone: 'Somebody else has the sign-in address by now. Enter another one, with which the person signs in.',
  saved: 'The user was changed',
  isYou: 'This is your own user. You lose access to this console with the next call.',
  activated: (name: string) => phrase`${name} can sign in again`,
  deactivatedText: 'Their addresses go on receiving. Add a colleague to their account, who then reads the mail.',
  deactivated: (name: string) => phrase`${name} was deactivated`,
  removed: (name: string) => phrase`${name} was deleted`,
  remains: (own: readonly string[], other: readonly string[]) =>
    [
      ...(own.length > 0 ? [`Mail for ${own.map(isolated).join(', ')} still arrives: give the account to somebody, or delete it.`] : []),
      ...(other.length > 0 ? [`They stay listed as a member of ${other.map(isolated).join(', ')}, without access.`] : []),
    ].join(' '),
} as const;

export const importWords = {
  title: 'Import people',
  text:
    'A file of people, as a spreadsheet saves it as CSV. What it would change is shown first. Their mail is moved from Google or another ' +
    'service by the command import, which docs/moving-in.md describes.',
  file: 'File',
  choose: 'Choose a file',
  drop: 'Drop the file here',
  removeFile: 'Remove the file',
  content: 'Content',
  contentText: 'Choose a file, or paste its lines. The first line names the columns; only email is required. An empty cell changes nothing.',
  columnsTitle: 'Columns',
  limits: (octets: string, rows: number) => phrase`At most ${octets} and ${rows} people. The command people apply takes more.`,
  tooLarge: (octets: string) => phrase`The file is larger than ${octets}. Split it, or use the command people apply.`,
  tooMany: (rows: number, max: number) => phrase`The file has ${rows} people; here are at most ${max}. Split it, or use the command people apply.`,
  latin1: 'The file is not UTF-8, so it is read as Windows-1252 (Latin-1). Check the names in the plan.',
  plan: 'Show the plan',
  lookedUp: (done: number, all: number) => phrase`${done} of ${all} addresses looked up`,
  notTable: 'This is no table of people',
  problems: { title: 'Refused lines', text: 'Nothing was changed. Correct the lines, and show the plan again.' },
  planned: { title: 'Plan', text: 'Nothing was changed yet.' },
  applied: 'The same file again changes nothing. What failed is made when its cause is repaired and the plan is applied again.',
  none: { title: 'No people', text: 'The file has nobody.' },
  apply: (count: number) => (count === 1 ? 'Apply to 1 person' : phrase`Apply to ${count} people`),
  result: (done: number, all: number) => phrase`${done} of ${all} people done`,
  nothing: 'Everything is as the file says.',
  roleMail: 'Mail to the addresses of roles',
  columns: { line: 'Line', email: 'Sign-in', what: 'What', steps: 'Changes', outcome: 'Outcome', reason: 'Reason' },
  what: { create: 'Create', change: 'Change', leave: 'As it is' },
  hints: {
    NOT_INVITED: 'cannot sign in yet: give an invitation_email, or reset the password on the person’s page',
    INVITATION_EXPIRED: 'the temporary password has expired: send the invitation again',
  },
} as const;

/** The consequences of a deactivation: what ends, and what is kept. */
export const deactivationWords = {
  endsNow: 'Ends immediately',
  now: [
    'Signing in, and every session on every device: the next call of a mail client or of this console is refused',
    'All tokens from before now, for good. Whoever is activated again has to sign in again',
  ],
  endsSoon: 'Ends within seconds',
  soon: ['Open connections of mail clients that wait for new mail, and push notifications', 'Mail of theirs that waits to be sent: it is not sent any more'],
  stays: 'Kept',
  left: [
    'Their mail and accounts. Their addresses go on receiving, and what they forward goes on to others',
    'What other members of shared accounts read and send',
  ],
  canUndo: 'You can activate the user again.',
  cannotUndo:
    'You can restore the user for a time, which their page shows. Then the user is removed. The sign-in address can be invited at ' +
    'once as somebody new, unless an account has it as a mail address. Their accounts stay until you delete them.',
} as const;

export const addressWords = {
  action: 'Change the sign-in address',
  title: (name: string) => phrase`Change the sign-in address of ${name}`,
  consequences:
    'All sessions on every device end, and the person signs in with the new address, their present password and their authenticator ' +
    'app. Their mail, accounts and mail addresses stay. To an address of your own domains no code is mailed: whoever forgets the password then ' +
    'gets a new one from an admin.',
  done: (name: string, email: string) => phrase`${name} now signs in as ${email}`,
} as const;

export const resetWords = {
  action: 'Reset the password',
  title: (name: string) => phrase`Reset the password of ${name}`,
  consequences: 'The present password ends, and so do all sessions on every device. The person gets a temporary password.',
  done: (name: string) => phrase`The password of ${name} was reset`,
  mailed: (email: string) => phrase`The temporary password was mailed to ${email}.`,
} as const;

export const temporaryPasswordWords = {
  name: 'Temporary password',
  close: 'I have passed it on',
  print: 'Print',
  way: 'How they get the temporary password',
  ways: { shown: 'Show it to me, to pass on', private: 'Mail it to a private address' },
  sheet: {
    title: (name: string) => phrase`Your sign-in, ${name}`,
    steps: (mfa: Mfa, hasWebmail: boolean) => [
      ...firstSignInSteps(mfa, hasWebmail ? ['web mail'] : []),
      `${temporaryPasswordValidity} Destroy this sheet when you have your own.`,
    ],
  },
  passOn: (email: string) =>
    phrase`Give it to the person yourself: it is shown only now, and mailed to nobody. They sign in as ${email}, and choose their own ` +
    `password there. It is valid for ${temporaryPasswordDays} days.`,
} as const;

export const secondFactorWords = {
  action: 'Reset the second factor',
  title: (name: string) => phrase`Reset the second factor of ${name}`,
  consequences:
    'For somebody who lost their phone. Their authenticator app no longer counts, and all sessions on every device end. ' +
    'Whoever signs in next with the password sets up another app: if somebody else may know the password, reset it too.',
  done: (name: string) => phrase`${name} sets up another authenticator app at the next sign-in`,
} as const;

/** Sentences about the second factor of a person. */
export const secondFactorStates = {
  off: 'Not asked for in this deployment',
  beforeSignIn: 'None yet: the first sign-in sets it up',
  unknown: 'Not known: Cognito doesn’t list every authenticator app. The next sign-in asks for its code, or sets one up.',
} as const;

/** The mail of a person, on their page. */
export const userMailWords = {
  ownAccount: (name: string) => phrase`Their own account, ${name}`,
  changeLimits: 'Change the limits',
  waiting: {
    title: 'Mail that waits',
    text: (address: string) => phrase`From and to ${address}, in the last 24 hours: it waits for room, is being delivered, or is not sent yet.`,
    all: 'All mail of the address',
    none: { title: 'Nothing waits', text: 'No mail of the last 24 hours waits to be delivered or sent.' },
    noneYet: { title: 'Nothing found yet', text: 'Only a part of the last 24 hours was read. There is more to read.' },
  },
} as const;

export const sessionWords = {
  action: 'End all sessions',
  title: (name: string) => phrase`End all sessions of ${name}`,
  consequences:
    'For somebody who lost a device. Every program and browser is signed out at once, and signs in again with the same password. ' +
    'If somebody else may know the password, reset it too.',
  done: (name: string) => phrase`${name} is signed out everywhere`,
} as const;

export const inviteWords = {
  person: 'The person',
  personText: 'They sign in with this address, and get the invitation there if it is an address outside.',
  createUser: 'Create the user',
  way: 'How they get in',
  ways: {
    mailed: 'Mail the invitation to this address',
    private: 'Mail the invitation to a private address',
    shown: 'Show me a temporary password to pass on',
  },
  password: (email: string) => phrase`${email} can sign in with this password`,
  account: 'Mail account',
  withAccount: 'Make a mail account with an address for them',
  accountText: 'They read and write mail here. Further addresses and accounts can be added later.',
  noDomain:
    'No verified domain of yours receives mail yet, so there are no addresses to give. Invite the person now, and make their account when a domain is live.',
  addDomain: 'Add a domain',
  ownAddress: {
    title: 'No invitation is mailed to this address',
    text: (email: string) =>
      phrase`${email} is at a domain of this deployment. Others may read its mail, so that no password and no code is ever mailed there.`,
    advice:
      'You get a temporary password to give to the person yourself, on paper or by phone, or it is mailed to a private address once. ' +
      'With a sign-in address outside, the person can later choose a new password without you.',
  },
  existing: {
    title: 'This address was invited before',
    open: 'Open the user',
    goOn: 'Make the account for them',
    deleted: 'The user was deleted. Restore them on their page, or invite the address again after the user is removed.',
    withAccount: 'The user has an account already.',
    withoutAccount: 'The user has no account yet: an earlier attempt may have ended there. Nothing is doubled when you go on.',
  },
  half: {
    title: (email: string) => phrase`${email} was invited, but has no account yet`,
    text: 'Correct what is wrong below, then try again. The person is not invited a second time.',
    retry: 'Make the account',
    later: 'Leave it for later',
  },
  invited: (email: string) => phrase`${email} was invited`,
  created: (email: string) => phrase`${email} was created, without an invitation`,
} as const;
