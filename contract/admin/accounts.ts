import * as z from 'zod';
import { bool, count, enumeration, instant, integer, list, localPart, nextPage, paging, reference, text } from '../values/fields.ts';
import { message, method, service } from '../rpc/rpc.ts';

/** The roles of an account's members, from the weakest to the strongest. */
export const AccountRole = enumeration('AccountRole', ['READ', 'WRITE', 'ADMIN']);
export type AccountRole = z.output<typeof AccountRole>;

/** The use and the limits of an account (docs/specification.md#quota). */
export const AccountQuota = message('AccountQuota', {
  /** Octets of all messages. */
  octets_used: count(),
  max_octets: count(),
  /** Number of Emails. */
  emails_used: count(),
  max_emails: count(),
  /** Recipients to whom the account may send in a minute, and on a day in UTC. */
  max_recipients_per_minute: count(),
  max_recipients_per_day: count(),
});

/** A mail account: its primary address and its mailboxes. Members have roles on it ({@link AccountMember}). */
export const Account = message('Account', {
  account_id: z.string(),
  /** Display name. */
  name: z.string(),
  /** Address of the primary alias. */
  email: z.string(),
  /** True while the account has more than one member. */
  shared: bool(),
  created_at: instant(),
  /** Only in the responses of GetAccount and UpdateAccount. */
  quota: AccountQuota.optional(),
});
export type Account = z.input<typeof Account>;

/** One entry of an account's access list: a principal and its role. */
export const AccountMember = message('AccountMember', {
  account_id: z.string(),
  /** A user's id, or the client id of a headless client (docs/specification.md#machine-access). */
  user_id: z.string(),
  role: AccountRole,
  created_at: instant(),
  updated_at: instant(),
});
export type AccountMember = z.input<typeof AccountMember>;

/** The step of a removal: access is closed, mail is deleted, then the objects of the mail, then addresses are released. */
export const RemovalStep = enumeration('RemovalStep', ['ACCESS', 'MAIL', 'OBJECTS', 'ADDRESSES']);

/** An account that is being removed. Nobody can read it any more. */
export const AccountRemoval = message('AccountRemoval', {
  account_id: z.string(),
  name: z.string(),
  /** Address of the primary alias. */
  email: z.string(),
  step: RemovalStep,
  /** Items that the step has removed so far. */
  removed: count(),
  begun_at: instant(),
});

/** A limit of an account; 0 removes it. */
const quotaLimit = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const accountName = () => text({ max: 100 });

/** The service /accounts (docs/specification.md#accounts). */
export const accounts = service({
  name: 'accounts',
  summary: 'Accounts, and the access list (members and roles) of an account.',
  methods: {
    ListAccounts: method({
      summary: 'Lists the accounts. The order is stable but has no meaning.',
      request: paging({ max: 1000, default: 50 }),
      response: { accounts: list(Account), ...nextPage },
    }),
    GetAccount: method({
      summary: 'Returns one account.',
      request: { account_id: reference() },
      response: { account: Account },
      errors: ['not_found'],
    }),
    CreateAccount: method({
      summary: 'Creates an account with its mailboxes and its primary alias `<local_part>@<domain>`. '
        + 'The owner becomes a member with the role ADMIN.',
      changes: true,
      request: {
        /** The account's owner. */
        user_id: reference(),
        name: accountName(),
        local_part: localPart(),
        /** A domain with sending enabled. */
        domain_id: reference(),
      },
      response: { account: Account },
      errors: ['not_found', 'failed_precondition', 'already_exists', 'aborted'],
    }),
    UpdateAccount: method({
      summary: 'Renames an account, and sets its quota and its limits of sending. A limit of 0 removes it: the deployment\'s limit holds again.',
      changes: true,
      request: {
        account_id: reference(),
        name: accountName().optional(),
        /** Octets of all messages. */
        max_octets: quotaLimit().optional(),
        /** Number of Emails. */
        max_emails: quotaLimit().optional(),
        /** Recipients to whom the account may send in a minute. */
        max_recipients_per_minute: quotaLimit().optional(),
        /** Recipients to whom the account may send on a day in UTC. */
        max_recipients_per_day: quotaLimit().optional(),
      },
      response: { account: Account },
      errors: ['not_found', 'aborted'],
    }),
    DeleteAccount: method({
      summary: 'Deletes the account with its aliases, mailboxes and emails. Its addresses can then be used again.',
      changes: true,
      request: { account_id: reference() },
      response: {},
      errors: ['not_found', 'aborted'],
    }),
    ListAccountRemovals: method({
      summary: 'Lists the accounts that are being removed, with the progress of each. The order is stable but has no meaning.',
      request: paging({ max: 1000, default: 50 }),
      response: { removals: list(AccountRemoval), ...nextPage },
    }),
    ListAccountMembers: method({
      summary: 'Lists the members of an account with their roles.',
      request: { account_id: reference() },
      response: { members: list(AccountMember) },
      errors: ['not_found'],
    }),
    PutAccountMember: method({
      summary: 'Gives a user or a headless client a role on the account, or changes the role. The last ADMIN cannot be demoted.',
      changes: true,
      request: { account_id: reference(), user_id: reference(), role: AccountRole },
      response: { member: AccountMember },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    DeleteAccountMember: method({
      summary: 'Removes a user or a headless client from the access list. The last ADMIN cannot be removed.',
      changes: true,
      request: { account_id: reference(), user_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
  },
});
