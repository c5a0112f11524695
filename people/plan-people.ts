import type { Account, AccountRole } from '../contract/admin/accounts.ts';
import type { User } from '../contract/admin/users.ts';
import { domainOf, localPartOf } from '../contract/values/mail-address.ts';
import { shellWord } from '../contract/values/shell-word.ts';
import { groupAt, type DeploymentPeople } from './deployment-people.ts';
import type { PersonRow, RowProblem } from './people-file.ts';

/** The way in which somebody gets the temporary password. */
export type PasswordWay = 'sheet' | 'private address' | 'sign-in address' | 'none';

/** A call after which the person has a temporary password, unless its way is none. */
export type PasswordStep = { readonly kind: 'invite'; readonly way: PasswordWay } | { readonly kind: 'password'; readonly way: 'sheet' | 'private address' };

/** A membership in a group. One call makes those of several people. */
export type GroupStep = { readonly kind: 'group'; readonly email: string; readonly group_id: string };

/** One change for a person. Each but a {@link GroupStep} is made by one call. */
export type Step =
  | PasswordStep
  | { readonly kind: 'rename'; readonly display_name: string }
  | { readonly kind: 'admin'; readonly is_admin: boolean }
  | { readonly kind: 'mailbox'; readonly email: string; readonly domain_id: string }
  | { readonly kind: 'alias'; readonly email: string; readonly domain_id: string; readonly can_send_from: boolean }
  | { readonly kind: 'shared-mailbox'; readonly email: string; readonly domain_id: string }
  | { readonly kind: 'role'; readonly email: string; readonly role: AccountRole }
  | GroupStep;

/** The changes of a person. Empty steps: everything is as the file says. */
export type PersonPlan = {
  readonly row: PersonRow;
  /** Absent for somebody new. */
  readonly user: User | undefined;
  /** The person's own account, if there is one. */
  readonly account: Account | undefined;
  readonly steps: readonly Step[];
  /** Why the person cannot sign in afterwards, if an admin has to do more. */
  readonly hint: 'NOT_INVITED' | 'INVITATION_EXPIRED' | undefined;
};

export type PeoplePlan = { readonly people: readonly PersonPlan[]; readonly problems: readonly RowProblem[] };

/** A plan whose problems are collected. */
type Planning = {
  readonly deployment: DeploymentPeople;
  /** Whether an address is in the sheet of temporary passwords; undefined without a sheet. */
  readonly isInSheet: ((email: string) => boolean) | undefined;
  /** The owners of the shared mailboxes that do not exist yet: the first person with the role ADMIN. */
  readonly newOwners: ReadonlyMap<string, PersonRow>;
  readonly complain: (row: PersonRow, text: string) => void;
};

const isReceived = ({ deployment: { domains } }: Planning, email: string): boolean => domains.get(domainOf(email))?.receive_enabled === true;

/** The id of the domain for a new address. Problems are complained of. */
const domainFor = ({ deployment: { domains }, complain }: Planning, row: PersonRow, email: string, needsSending: boolean): string => {
  const name = domainOf(email);
  const domain = domains.get(name);
  const refuse = (text: string): void => complain(row, `${email}: ${name} ${text}`);
  if (!domain) refuse('is not a domain of this deployment; postrider-admin domains AddDomain adds it');
  else if (!domain.receive_enabled) refuse('does not receive mail; domains UpdateDomain --receive-enabled changes that');
  else if (needsSending && !domain.send_enabled) refuse('is not enabled for sending; domains UpdateDomain --send-enabled changes that');
  return domain?.id ?? '';
};

/** Whether an address has to be made for the account; undefined with a complaint when somebody else has it. */
const isFree = ({ deployment: { addresses, users }, complain }: Planning, row: PersonRow, email: string, account: Account | undefined): boolean | undefined => {
  const { account: found } = addresses.get(email)!;
  if (found) {
    if (found.account_id === account?.account_id) return false;
    complain(
      row,
      `${email} is an address of the mailbox '${found.name}' <${found.email}>; ` +
        `if that was of somebody who left: postrider-admin people release ${shellWord(email)}`,
    );
    return undefined;
  }
  const other = users.get(email);
  if (other && email !== row.email) {
    complain(row, `${other.name} signs in with ${email}`);
    return undefined;
  }
  return true;
};

const mailboxSteps = (planning: Planning, row: PersonRow, account: Account | undefined): Step[] => {
  const { mail_address: email, aliases } = row;
  const steps: Step[] = [];
  if (email !== undefined && account === undefined) {
    const domain_id = domainFor(planning, row, email, true);
    if (isFree(planning, row, email, undefined)) steps.push({ kind: 'mailbox', email, domain_id });
  }
  if (email !== undefined && account && isFree(planning, row, email, account)) {
    planning.complain(row, `the person has the mailbox ${account.email}; give ${email} in the column aliases`);
  }
  if (aliases.length > 0 && email === undefined && account === undefined) {
    planning.complain(row, 'aliases need a mailbox: give its mail_address');
  }
  for (const alias of aliases) {
    const domain_id = domainFor(planning, row, alias, false);
    const canSendFrom = planning.deployment.domains.get(domainOf(alias))?.send_enabled === true;
    if (isFree(planning, row, alias, account)) steps.push({ kind: 'alias', email: alias, domain_id, can_send_from: canSendFrom });
  }
  return steps;
};

const sharedSteps = (planning: Planning, row: PersonRow, user: User | undefined): Step[] => {
  const {
    deployment: { addresses, roles },
    newOwners,
    complain,
  } = planning;
  return row.shared_mailboxes.flatMap(({ email, role }): Step[] => {
    const account = addresses.get(email)?.account;
    if (account) return roles.get(account.account_id)?.get(user?.user_id ?? '') === role ? [] : [{ kind: 'role', email, role }];
    const owner = newOwners.get(email);
    if (!owner) complain(row, `there is no mailbox ${email}; to make it, give one person the role ADMIN, as in ${email}:ADMIN`);
    if (owner !== row) return [{ kind: 'role', email, role }];
    const domain_id = domainFor(planning, row, email, true);
    return isFree(planning, row, email, undefined) ? [{ kind: 'shared-mailbox', email, domain_id }] : [];
  });
};

const groupSteps = ({ deployment: { addresses, groupMembers }, complain }: Planning, row: PersonRow, account: Account | undefined): Step[] => {
  if (row.groups.length > 0 && row.mail_address === undefined && account === undefined) complain(row, 'groups need a mailbox: give its mail_address');
  return [...new Set(row.groups)].flatMap((email): Step[] => {
    const group = groupAt(addresses, email);
    if (!group) complain(row, `there is no group ${email}; postrider-admin aliases CreateGroup makes it`);
    const isMember = group && account && groupMembers.get(group.group_id)?.has(account.account_id);
    return group && !isMember ? [{ kind: 'group', email, group_id: group.group_id }] : [];
  });
};

const changeSteps = ({ display_name, is_admin }: PersonRow, user: User | undefined): Step[] => [
  ...(user && display_name !== undefined && display_name !== user.display_name ? [{ kind: 'rename', display_name } as const] : []),
  ...(is_admin !== undefined && is_admin !== (user?.is_admin ?? false) ? [{ kind: 'admin', is_admin } as const] : []),
];

const wayOf = (planning: Planning, { email, invitation_email: to }: PersonRow): PasswordWay => {
  if (to !== undefined) return 'private address';
  if (planning.isInSheet) return 'sheet';
  return isReceived(planning, email) ? 'none' : 'sign-in address';
};

/** The states in which somebody has not signed in yet. */
const notSignedIn: readonly User['sign_in_state'][] = ['NOT_INVITED', 'INVITED', 'INVITATION_EXPIRED'];

/** The first step of a person, if they need a temporary password. */
const passwordStep = (planning: Planning, row: PersonRow, user: User | undefined): PasswordStep | undefined => {
  const way = wayOf(planning, row);
  if (!user) return { kind: 'invite', way };
  if (way === 'sheet') return notSignedIn.includes(user.sign_in_state) && !planning.isInSheet?.(row.email) ? { kind: 'password', way } : undefined;
  return way === 'private address' && user.sign_in_state === 'NOT_INVITED' ? { kind: 'password', way } : undefined;
};

const hintFor = (user: User | undefined, first: PasswordStep | undefined): PersonPlan['hint'] => {
  const state = first ? first.way === 'none' && 'NOT_INVITED' : user?.sign_in_state;
  return state === 'NOT_INVITED' || state === 'INVITATION_EXPIRED' ? state : undefined;
};

const planPerson = (planning: Planning, row: PersonRow): PersonPlan => {
  const {
    deployment: { users, accounts },
    complain,
  } = planning;
  const user = users.get(row.email);
  if (user && !user.is_active) complain(row, `${row.email} is deactivated; activate them first, or leave the line out`);
  const account = accounts.get(user?.primary_account_id ?? '');
  if (!user && row.mail_address !== row.email) isFree(planning, row, row.email, undefined);
  if (row.invitation_email !== undefined && isReceived(planning, row.invitation_email)) {
    complain(row, `invitation_email ${row.invitation_email} is at a domain that this deployment receives; give an address outside`);
  }
  const first = passwordStep(planning, row, user);
  const steps = [
    ...(first ? [first] : []),
    ...changeSteps(row, user),
    ...mailboxSteps(planning, row, account),
    ...sharedSteps(planning, row, user),
    ...groupSteps(planning, row, account),
  ];
  return { row, user, account, steps, hint: hintFor(user, first) };
};

/**
 * Compares a file of people with the deployment.
 * @param isInSheet whether an address is in the sheet of temporary passwords; undefined without a sheet.
 */
export const planPeople = (rows: readonly PersonRow[], deployment: DeploymentPeople, isInSheet: ((email: string) => boolean) | undefined): PeoplePlan => {
  const problems: RowProblem[] = [];
  const newOwners = new Map<string, PersonRow>();
  for (const row of rows) {
    for (const { email, role } of row.shared_mailboxes) {
      if (role === 'ADMIN' && !newOwners.has(email)) newOwners.set(email, row);
    }
  }
  const planning = { deployment, isInSheet, newOwners, complain: ({ line }: PersonRow, text: string) => void problems.push({ line, text }) };
  return { people: rows.map((row) => planPerson(planning, row)), problems };
};

const ways: { readonly [Way in PasswordWay]: string } = {
  sheet: 'with a temporary password on the sheet',
  'private address': 'by mail to the private address',
  'sign-in address': 'by mail to the sign-in address',
  none: 'without a password',
};

/** A step in words, as what will happen or has happened. */
export const stepWords = (step: Step): string => {
  switch (step.kind) {
    case 'invite':
      return `invite ${ways[step.way]}`;
    case 'password':
      return `new temporary password ${step.way === 'sheet' ? 'on the sheet' : 'by mail to the private address'}`;
    case 'rename':
      return `name '${step.display_name}'`;
    case 'admin':
      return step.is_admin ? 'make an admin' : 'remove admin rights';
    case 'mailbox':
      return `mailbox ${step.email}`;
    case 'alias':
      return `alias ${step.email}`;
    case 'shared-mailbox':
      return `new shared mailbox ${step.email}`;
    case 'role':
      return `${step.role} of ${step.email}`;
    case 'group':
      break;
  }
  return `member of ${step.email}`;
};

/** The name of a new shared mailbox: its local part with a capital. */
export const sharedMailboxName = (email: string): string => localPartOf(email).replace(/^./, (letter) => letter.toUpperCase());
