import type { User } from '../../../contract/admin/users.ts';
import { firstSignInSteps } from '../../../contract/oauth/first-sign-in.ts';
import { temporaryPasswordDays, type Mfa } from '../../../contract/oauth/oauth.ts';
import { phrase } from '../phrase.ts';
import { fullTime } from '../times.ts';

/** Texts of the pages of operations. The overview and monitoring have their own in monitoring.ts. */
export const changeRequestWords = {
  create: 'Request a quota increase',
  createAction: 'Send the request',
  details: 'Change request',
  empty: { title: 'No change requests', text: 'Request production access of SES, a higher daily sending quota, or more Lambda concurrency.' },
  columns: { type: 'What', status: 'State', created: 'Made', updated: 'Changed', summary: 'Summary' },
  types: {
    SES_MAX_24H_SEND_INCREASE: 'More mail a day',
    SES_MAX_SEND_RATE_INCREASE: 'More mail a second',
    LAMBDA_CONCURRENCY_INCREASE: 'More concurrent Lambdas',
  },
  typeTexts: {
    SES_MAX_24H_SEND_INCREASE: 'SES counts recipients in 24 hours. In the SES sandbox this asks for production access first, which needs your website.',
    SES_MAX_SEND_RATE_INCREASE: 'How many recipients a second SES accepts, for bursts of mail.',
    LAMBDA_CONCURRENCY_INCREASE: 'How many calls run at the same time in this AWS account and region. New accounts have few.',
  },
  kind: 'What do you need?',
  asked: 'What is asked of you',
  canceled: 'The request was canceled',
  provide: 'Provide information',
  provided: 'The information was sent on',
  timeline: 'What happened',
  cancel: 'Cancel the request',
  cancelText: 'The request ends here. What AWS has already may still be answered by AWS.',
  error: 'Last error',
  missing: 'What is missing',
  atAws: 'At AWS',
  awsPage: 'Open the request',
  reused: 'There is an open request of this kind already. This is it.',
  noEvents: 'Nothing happened yet.',
} as const;

export const supportWords = {
  open: 'Open a case',
  openAction: 'Open the case',
  details: 'Support case',
  empty: { title: 'No support cases', text: 'A case gives support access to diagnosis or configuration for a limited time.' },
  columns: { subject: 'Subject', status: 'State', tiers: 'Support may', until: 'Ends', opened: 'Opened', by: 'Opened by' },
  closeCase: 'Close the case',
  tiers: 'Change tiers',
  until: 'Extend or end',
  closed: 'The case was closed',
  closeText: 'Support loses access at once, and what it does just now ends. A closed case can’t be opened again.',
  untilText: 'From now on. Access ends by itself then; sessions of support end with it.',
  endNow: 'End access now',
  tiersText: 'What you take away ends at once, running sessions included.',
  nothing: 'Nothing',
  activeUntil: 'Access ends',
  description: 'Description',
  externalId: 'External id for the role',
  closedAt: 'Closed',
  closedBy: 'Closed by',
  for: (duration: string) => `For ${duration}`,
  left: (text: string) => `${text} left`,
  over: 'Access has ended',
  assumptions: 'Who used the access',
  principal: 'Who',
  session: 'Session',
  address: 'IP address',
  role: 'Role',
  time: 'Time',
  incomplete: 'The newest uses may be missing: CloudTrail has them after about 15 minutes, or could not be read.',
  noAssumptions: { title: 'Nobody so far', text: 'Uses appear a few minutes later, when CloudTrail has them.' },
} as const;

export const auditWords = {
  empty: { title: 'No entries', text: 'Every change of an admin is listed here.' },
  columns: { time: 'Time', action: 'Action', entity: 'Object', outcome: 'Outcome', actor: 'By' },
  operation: 'Action',
  actorType: 'Kind of actor',
  actor: 'Actor',
  all: 'All',
  details: 'Entry',
  field: 'Field',
  before: 'Before',
  after: 'After',
  error: 'Error',
  address: 'IP address',
  agent: 'Program',
  noChanges: 'The call names no changed fields.',
  changes: 'Changed fields',
  notSet: 'not set',
  emptyText: 'empty',
  link: 'Link to this entry',
  anyOf: (service: string) => `All of ${service}`,
  actorTypes: { USER: 'People', SERVICE: 'Machines', SYSTEM: 'Postrider itself', VENDOR: 'Support' },
} as const;

/** The way of the temporary password to a person, as far as it is known. */
const temporarySources = {
  mailed: 'in the invitation that you get by e-mail',
  private: 'in the invitation that you get by e-mail',
  shown: 'from your admin',
  unknown: 'in the invitation that you got by e-mail, or from your admin',
} as const;

/** The facts of the instructions that a person gets. */
type Instructions = {
  readonly user: Pick<User, 'sign_in_state' | 'temporary_password_until'>;
  readonly addresses: string;
  readonly webmailUrl: string | undefined;
  readonly server: string;
  readonly signIn: string;
  readonly way: keyof typeof temporarySources;
  readonly mfa: Mfa;
};

export const connectWords = {
  title: 'Connect a mail client',
  titleFor: (name: string) => phrase`Connect ${name}`,
  text:
    'Give this to a person with an account. A mail program needs only the address of the server; signing in happens on the web. ' +
    'docs/mail-programs.md says which programs work, and how to set each one up.',
  textFor: 'All that they need to read their mail. Pass it on as it is: there is no secret in it.',
  address: 'Their mail address',
  webmail: 'Web mail',
  session: 'Address of the server (JMAP)',
  signInAs: 'Sign in as',
  password: 'Password',
  noAddress: 'none yet',
  passOn: 'To pass on',
  server: 'What the mail program needs',
  passwordText: `Temporary, in the invitation by e-mail. It is valid for ${temporaryPasswordDays} days; they choose their own at the first sign-in.`,
  passwordHere: `The temporary one that you passed on; “Reset the password” below gives another. It is valid for ${temporaryPasswordDays} days; they choose their own at the first sign-in.`,
  signIn: 'How to sign in',
  signInText: 'The program opens a web page. Sign in there with the address that was invited, and the password from the invitation or your own.',
  scan: 'Scan with the phone',
  scanText: 'The code has the address of the server.',
  qr: 'QR code with the address of the server',
  done: 'Back to the users',
  openUser: 'Open the user',
  copyAll: 'Copy the instructions',
  steps: {
    title: 'What happens next',
    mail: (email: string) => phrase`The invitation, with a temporary password, is mailed to ${email}. If nothing arrives, look in the spam folder.`,
    mailOther:
      'The invitation, with a temporary password, is mailed to the private address. If nothing arrives, look in the spam folder, or reset the password.',
    mailHere: (email: string) =>
      phrase`They have the temporary password that you passed on. Without it they can’t sign in, because nothing is mailed to ${email}: reset the password then, and give them the new one.`,
    webmail: (url: string) =>
      phrase`They open the web mail at ${url}, or add the server’s address to a mail program. docs/mail-programs.md says which programs work.`,
    client: 'They add the server’s address to their mail program, or scan the code. docs/mail-programs.md says which programs work.',
    app: 'They install an authenticator app on their phone first, such as Google Authenticator, Microsoft Authenticator or 2FAS.',
    signIn: 'A web page asks for the address and the temporary password, then for a password of their own.',
    secondFactor:
      'It then shows a code to scan with the authenticator app. From then on, each sign-in asks for a code of that app. If the page says that ' +
      'the session has expired, they begin again with their new password.',
    noAccount: 'They have no mail account yet: they can sign in, but see no mail.',
  },
  inactive: { title: 'This user is deactivated', text: 'They can’t sign in until you activate them.' },
  message: ({ user: { sign_in_state: state, temporary_password_until: until }, addresses, webmailUrl, server, signIn, way, mfa }: Instructions) => {
    const isInvited = state === 'INVITED' && until !== undefined;
    const validity = isInvited ? `until ${fullTime(until, undefined)}` : `for ${temporaryPasswordDays} days`;
    const steps = firstSignInSteps(mfa, webmailUrl === undefined ? [] : ['web mail']).map((step, index) => `${index + 1}. ${step}`);
    return [
      `Your mail address: ${addresses}`,
      ...(webmailUrl === undefined ? [] : [`Web mail: ${webmailUrl}`]),
      `Address of the server (JMAP): ${server}`,
      `Sign in as: ${signIn}`,
      ...(state === 'ACTIVE'
        ? [
            'Password: the one that you chose. If you have forgotten it, ask your admin.',
            ...(mfa === 'required' ? ['The sign-in page then asks for a code of your authenticator app.'] : []),
          ]
        : [`Temporary password: ${temporarySources[isInvited ? way : 'shown']}, valid ${validity}`, '', ...steps]),
    ].join('\n');
  },
} as const;
