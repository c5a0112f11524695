import * as z from 'zod';
import { maxEmailsPerCall } from '../deployment/deleted-mail.ts';
import { message, method, service } from '../rpc/rpc.ts';
import {
  bool,
  count,
  emailAddress,
  enumeration,
  instant,
  integer,
  list,
  listOf,
  localPart,
  maxQueryLength,
  nextPage,
  ordering,
  paging,
  reference,
  text,
  timestamp,
} from '../values/fields.ts';
import { AddressNotRestored, Alias, Forwarding, Group } from './aliases.ts';
import { MessageClass } from './mail-feedback.ts';

/** The roles of an account's members, weakest first. */
export const AccountRole = enumeration('AccountRole', ['READ', 'WRITE', 'ADMIN']);
export type AccountRole = z.output<typeof AccountRole>;

const storageFields = {
  /** Octets of all messages. */
  octets_used: count(),
  max_octets: count(),
  /** Number of Emails. */
  emails_used: count(),
  max_emails: count(),
};

/** The storage of an account, used and permitted (docs/specification.md#quota). */
export const AccountStorage = message('AccountStorage', storageFields);

/** The use and the limits of an account (docs/specification.md#quota). */
export const AccountQuota = message('AccountQuota', {
  ...storageFields,
  /** Maximum recipients to whom the account may send in a minute, and on a day in UTC. */
  max_recipients_per_minute: count(),
  max_recipients_per_day: count(),
});

/** The owners of an account, the number of its members, its storage and its last use. */
export const AccountUse = message('AccountUse', {
  /**
   * The name of the user whose primary account it is, or else the names of the users who have the role ADMIN. Empty when none
   * of them is known any more.
   */
  owners: list(z.string()),
  /** The number of people who are members. Headless clients do not count. */
  members: count(),
  /** Absent when the account's mail cannot be read. */
  storage: AccountStorage.optional(),
  /**
   * The latest time at which one of the members signed in or a client got tokens for them, each recorded once a day (UTC). It
   * says that the person used Postrider, not which of their accounts. Absent when nobody has, and when the members are too
   * many to read: more than 50 of one account, or twice the accounts of the page.
   */
  last_used_at: instant().optional(),
  /** True when it is known that no member has ever signed in. */
  never_used: bool(),
});
export type AccountUse = z.input<typeof AccountUse>;

/** A mail account: its primary address and its mailboxes. Members have roles on it ({@link AccountMember}). */
export const Account = message('Account', {
  account_id: z.string(),
  /** Display name. */
  name: z.string(),
  /** Address of the primary alias. */
  email: z.string(),
  /** True when more than one person is a member. Headless clients do not count. */
  shared: bool(),
  created_at: instant(),
  /** Only in the responses of GetAccount and UpdateAccount. */
  quota: AccountQuota.optional(),
  /**
   * Whether the people to whom the account sends mail are kept in its AddressBook Recent. Only in the responses of
   * GetAccount and UpdateAccount.
   */
  keep_recent_contacts: z.boolean().optional(),
  /** Only in the response of ListAccounts, with include_use. */
  use: AccountUse.optional(),
});
export type Account = z.input<typeof Account>;

/** One entry of an account's access list: a principal and its role. */
export const AccountMember = message('AccountMember', {
  account_id: z.string(),
  /** The id of a user, or the client id of a headless client (docs/specification.md#machine-access). */
  user_id: z.string(),
  /** The name of the user or of the headless client. */
  name: z.string(),
  /** False for a deactivated or deleted user, and for a headless client that the deployment has no more: both APIs refuse them. */
  is_active: bool(),
  role: AccountRole,
  created_at: instant(),
  updated_at: instant(),
});
export type AccountMember = z.input<typeof AccountMember>;

/**
 * The steps of a removal: access is closed, the account waits while it can be restored, mail is deleted, then the
 * objects of the mail, then the records of the addresses. RESTORING: RestoreAccount was called, but is not complete.
 */
export const RemovalStep = enumeration('RemovalStep', ['ACCESS', 'WAITING', 'RESTORING', 'MAIL', 'OBJECTS', 'ADDRESSES']);

/** An account that is being removed. Nobody can read it any more. */
export const AccountRemoval = message('AccountRemoval', {
  account_id: z.string(),
  name: z.string(),
  /** Address of the primary alias. */
  email: z.string(),
  step: RemovalStep,
  /** The number of items that the step has removed so far. */
  removed: count(),
  begun_at: instant(),
  /** The time at which the mail is removed. Until then RestoreAccount restores the account. */
  removal_at: instant(),
});

/** A user, or an address of an account, whose name or address is close to a text. */
export const Similar = message('Similar', {
  /** The name of the user, or of the account. */
  name: z.string(),
  /** The address, or that with which the user signs in. */
  email: z.string().optional(),
  /** Only of a user. */
  user_id: z.string().optional(),
  /** Only of an address. */
  account_id: z.string().optional(),
  /** INACTIVE: the user is deactivated, or the address rejects mail. DELETED: the user, or the account of the address, is deleted. */
  state: enumeration('SimilarState', ['ACTIVE', 'INACTIVE', 'DELETED']),
});
export type Similar = z.input<typeof Similar>;

/** An Email that was destroyed and can be restored (docs/specification.md#deleted-mail). */
export const DestroyedEmail = message('DestroyedEmail', {
  /** The Email's JMAP id, which a restored Email keeps. */
  email_id: z.string(),
  /** The authors of the From field, such as `Ada <ada@example.com>`. */
  from: z.string(),
  subject: z.string(),
  received_at: instant(),
  /** Octets of the raw message. */
  size: count(),
  destroyed_at: instant(),
  /** The user or the headless client that destroyed the Email. */
  destroyed_by: z.string().optional(),
  /** The time at which the Email is removed permanently. */
  recoverable_until: instant(),
});
export type DestroyedEmail = z.input<typeof DestroyedEmail>;

/** An account, or an address outside, that gets the mail of a group. */
export const GroupReceiver = message('GroupReceiver', { account_id: z.string().optional(), name: z.string().optional(), email: z.string() });

/**
 * The relation of an address to the deployment. ACCOUNT is the primary address of an account, ALIAS another one, GROUP that of
 * a group, CATCH_ALL an address that does not exist at a domain whose other mail an account or a group gets, and REMOVED an address of a deleted account that nobody else has. ROLE is postmaster@ or abuse@ of a domain that receives mail: no
 * account has it, and an admin gets its mail. UNKNOWN means that the deployment has the domain, but not the
 * address; it may have existed before. SENDER means that no account has the address, but it is registered as a sender
 * address (/email-identities). OUTSIDE means that the deployment does not have the domain.
 */
export const AddressKind = enumeration('AddressKind', ['ACCOUNT', 'ALIAS', 'GROUP', 'CATCH_ALL', 'ROLE', 'REMOVED', 'SENDER', 'UNKNOWN', 'OUTSIDE']);
export type AddressKind = z.output<typeof AddressKind>;

/**
 * The present fate of mail that arrives for an address. DELIVERED: it is delivered to the account, or to the receivers of the
 * group if the author may write to it. REFUSED_NO_MEMBERS: the group has no receiver. WAITS_FOR_ROOM: the
 * account is full, so mail waits, and is bounced after 20 hours. REFUSED_INACTIVE: the alias is not active.
 * REFUSED_REMOVED: the account is deleted. REFUSED_UNKNOWN: there is no such address. REFUSED_DOMAIN: the domain
 * does not receive mail. NOT_HERE: another mail service receives the mail of the domain. SES refuses mail during SMTP,
 * where it can, and only counts it; other mail is bounced.
 */
export const IncomingMail = enumeration('IncomingMail', [
  'DELIVERED',
  'WAITS_FOR_ROOM',
  'REFUSED_NO_MEMBERS',
  'REFUSED_INACTIVE',
  'REFUSED_REMOVED',
  'REFUSED_UNKNOWN',
  'REFUSED_DOMAIN',
  'NOT_HERE',
]);
export type IncomingMail = z.output<typeof IncomingMail>;

/**
 * The present fate of mail from an address. SENT: members of the account, or the members of the group, may send from it. REFUSED_INACTIVE: the alias
 * is not active. REFUSED_ADDRESS: it may not send, as a group, an alias without `can_send_from` and an address with a detail.
 * REFUSED_DOMAIN: its domain may not send. REFUSED_REMOVED: the account is deleted. TEST_ONLY: no account has it,
 * but SendTestEmail may send from the sender address, once it is verified. NOT_HERE: no account has it.
 */
export const OutgoingMail = enumeration('OutgoingMail', [
  'SENT',
  'REFUSED_INACTIVE',
  'REFUSED_ADDRESS',
  'REFUSED_DOMAIN',
  'REFUSED_REMOVED',
  'TEST_ONLY',
  'NOT_HERE',
]);
export type OutgoingMail = z.output<typeof OutgoingMail>;

/** A message class that is not sent to an address. */
export const WithheldMail = message('WithheldMail', {
  message_class: MessageClass,
  /** A sentence that says why, and until when if the suppression ends. */
  reason: z.string(),
  /** The time of the newest bounce or complaint that is the reason. */
  since: instant().optional(),
});

/** Whether a call completed its work. If false, the call ran out of time, and repeating the call continues the work. */
const isComplete = () => bool();

/** A limit of an account; 0 removes the limit. */
const quotaLimit = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const accountName = () => text({ max: 100 });

export const AccountOrder = enumeration('AccountOrder', ['NAME', 'EMAIL', 'CREATED_AT']);

/** The service /accounts (docs/specification.md#accounts). */
export const accounts = service({
  name: 'accounts',
  summary: 'Accounts, and the access list (members and roles) of an account.',
  methods: {
    ListAccounts: method({
      summary:
        'Lists the accounts. Without order_by, descending and query the order is stable but has no meaning. query finds accounts by ' +
        'name, and by each of their addresses.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {
        ...paging({ max: 1000, default: 50 }),
        ...ordering(AccountOrder),
        /** Whether each account has its use, which takes two more reads. */
        include_use: bool().default(false),
      },
      response: { accounts: list(Account), ...nextPage },
    }),
    GetAccount: method({
      summary: 'Returns one account.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { account_id: reference() },
      response: { account: Account },
      errors: ['not_found'],
    }),
    FindAddress: method({
      summary:
        'Tells what an address is here, and what happens now to mail for it and from it. Letter case, details such as `user+detail@` and ' +
        'international domain names are read as for a delivery.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { address: emailAddress() },
      response: {
        /** The address in lower case, its domain as A-labels. */
        address: z.string(),
        kind: AddressKind,
        /** The account of the address. Absent for REMOVED, ROLE and CATCH_ALL. */
        account: Account.optional(),
        /** The id of the account, also of one that is being removed. */
        account_id: z.string().optional(),
        /** The account that gets the mail of a ROLE or of a CATCH_ALL, which is no address of it. */
        role_account: Account.optional(),
        /** The alias that receives the mail of the address: the same address, or the one without the detail. */
        alias: Alias.optional(),
        /** The time since which the alias is not active. Absent when it is active. */
        inactive_since: instant().optional(),
        /** The group that has the address, or that gets the mail of a CATCH_ALL. */
        group: Group.optional(),
        /** The accounts and the addresses outside that get the mail of the group, each once, also through groups in it, by address. */
        receivers: list(GroupReceiver),
        /** Where the account that receives the mail forwards it. Absent when the account forwards nothing. */
        forwarding: Forwarding.optional(),
        incoming: IncomingMail,
        outgoing: OutgoingMail,
        /** The classes of mail that the deployment does not send to the address (suppression). Empty: all are sent. */
        withheld: list(WithheldMail),
      },
    }),
    FindSimilar: method({
      summary:
        'Finds users and addresses that are close to a text, for a search that found nothing, the closest first: one or two letters ' +
        'of a name or an address differ, or an address at another domain has the same local part. It compares the 200 words that are ' +
        'nearest in the alphabet.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { query: text({ max: maxQueryLength }) },
      response: { similar: list(Similar) },
    }),
    CreateAccount: method({
      summary:
        'Creates an account with its mailboxes and its primary alias `<local_part>@<domain>`. ' +
        "The owner becomes a member with the role ADMIN. The alias gets the owner's display name if the account becomes the owner's " +
        'primary account, otherwise the name of the account. A name that is an address is not used.',
      changes: true,
      roles: ['HELPDESK'],
      request: {
        /** The account's owner. */
        user_id: reference(),
        name: accountName(),
        local_part: localPart(),
        /** A domain for which sending is enabled. */
        domain_id: reference(),
      },
      response: { account: Account },
      errors: ['not_found', 'failed_precondition', 'already_exists', 'aborted'],
    }),
    UpdateAccount: method({
      summary:
        'Renames an account, and sets its quota, its limits of sending, and whether it keeps recent contacts. ' +
        "A limit of 0 removes it: the deployment's limit holds again.",
      changes: true,
      roles: ['HELPDESK'],
      request: {
        account_id: reference(),
        name: accountName().optional(),
        /** Maximum octets of all messages. */
        max_octets: quotaLimit().optional(),
        /** Maximum number of Emails. */
        max_emails: quotaLimit().optional(),
        /** Maximum recipients to whom the account may send in a minute. */
        max_recipients_per_minute: quotaLimit().optional(),
        /** Maximum recipients to whom the account may send on a day in UTC. */
        max_recipients_per_day: quotaLimit().optional(),
        /** Whether the people to whom the account sends mail are kept in its AddressBook Recent. */
        keep_recent_contacts: z.boolean().optional(),
      },
      response: { account: Account },
      errors: ['not_found', 'aborted'],
    }),
    DeleteAccount: method({
      summary:
        'Deletes the account with its aliases, mailboxes and emails. Nobody has access from now on, and its addresses are free for ' +
        'others. The removal begins when the retention of deleted mail is over. Until then RestoreAccount restores it.',
      changes: true,
      roles: ['HELPDESK'],
      request: { account_id: reference() },
      response: {},
      errors: ['not_found', 'aborted'],
    }),
    ListAccountRemovals: method({
      summary: 'Lists the accounts that are being removed, with the progress of each. The order is stable but has no meaning.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: paging({ max: 1000, default: 50 }),
      response: { removals: list(AccountRemoval), ...nextPage },
    }),
    RestoreAccount: method({
      summary:
        'Restores a deleted account with its members, mail and those of its addresses that nobody else has, unless its removal has ' +
        'begun. When its primary address is not among them, another one becomes primary; an account without any is refused. An ' +
        'interrupted call is completed by the next one.',
      changes: true,
      roles: ['HELPDESK'],
      request: { account_id: reference() },
      response: { account: Account, addresses_not_restored: list(AddressNotRestored) },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    RemoveAccountNow: method({
      summary: 'Begins the removal of a deleted account at once. It cannot be restored any more.',
      changes: true,
      request: {
        account_id: reference(),
        /** The account's name, as a confirmation. */
        name: accountName(),
      },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ListDestroyedEmails: method({
      summary:
        'Lists the destroyed Emails of an account that can be restored, the latest first. A page may have fewer Emails than ' +
        'page_size although there is a next page.',
      showsMail: true,
      roles: ['HELPDESK'],
      request: {
        account_id: reference(),
        /** Only Emails that were destroyed at this time or later. */
        since: timestamp().optional(),
        /** Only Emails that were destroyed before this time. */
        until: timestamp().optional(),
        ...paging({ max: 200, default: 50 }),
      },
      response: { emails: list(DestroyedEmail), ...nextPage },
      errors: ['not_found'],
    }),
    RestoreEmails: method({
      summary:
        'Restores destroyed Emails, with their ids, keywords and dates, into their mailboxes, or into the mailbox "Restored" when ' +
        'those do not exist any more. Give email_ids or destroyed_since. Emails that cannot be restored are left out.',
      changes: true,
      roles: ['HELPDESK'],
      request: {
        account_id: reference(),
        email_ids: listOf(reference(), { max: maxEmailsPerCall }),
        /** All Emails that were destroyed at this time or later. */
        destroyed_since: timestamp().optional(),
      },
      response: { restored: count(), complete: isComplete() },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    PurgeDestroyedEmails: method({
      summary: 'Ends the time in which destroyed Emails can be restored, and removes them within half an hour.',
      changes: true,
      request: {
        account_id: reference(),
        /** The account's name, as a confirmation. */
        name: accountName(),
        /** The ids of the Emails. Empty: all destroyed Emails of the account. */
        email_ids: listOf(reference(), { max: maxEmailsPerCall }),
      },
      response: { purged: count(), complete: isComplete() },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ListAccountMembers: method({
      summary: 'Lists the members of an account with their roles.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { account_id: reference() },
      response: { members: list(AccountMember) },
      errors: ['not_found'],
    }),
    PutAccountMember: method({
      summary: 'Gives a user or a headless client a role on the account, or changes the role. The last ADMIN cannot be demoted.',
      changes: true,
      roles: ['HELPDESK'],
      request: { account_id: reference(), user_id: reference(), role: AccountRole },
      response: { member: AccountMember },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    DeleteAccountMember: method({
      summary: 'Removes a user or a headless client from the access list. The last ADMIN cannot be removed.',
      changes: true,
      roles: ['HELPDESK'],
      request: { account_id: reference(), user_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
  },
});
