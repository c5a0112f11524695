import * as z from 'zod';
import { temporaryPasswordDays } from '../oauth/oauth.ts';
import { adminRoles } from '../rpc/admin-roles.ts';
import { message, method, service } from '../rpc/rpc.ts';
import { bool, enumeration, instant, list, newEmailAddress, nextPage, ordering, paging, reference, text, textOrNone } from '../values/fields.ts';
import { Account, AccountMember, AccountRole } from './accounts.ts';
import { Alias } from './aliases.ts';

/** A user's record at the identity provider. */
export const IdpIdentity = message('IdpIdentity', {
  /** The provider's name, which is always `cognito`. */
  provider: z.string(),
  /** The provider's permanent id for the user. */
  sub: z.string(),
  username: z.string(),
  email: z.string().optional(),
  groups: list(z.string()),
});

/** A client that got tokens for a user. */
export const UsedClient = message('UsedClient', {
  client_id: z.string(),
  /** The name of a client that registered itself. */
  client_name: z.string().optional(),
  /** The first time of the last day (UTC) on which the client got tokens, which it does at least once an hour of use. */
  last_used_at: instant(),
});

/**
 * The rights of an admin. ALL: everything. HELPDESK: people, accounts, addresses, activity and restoring, but nothing about
 * another admin. READ_ONLY: reads what is neither content nor access.
 */
export const AdminRole = enumeration('AdminRole', adminRoles);

/** A second factor of a sign-in, besides the password. */
export const SecondFactor = enumeration('SecondFactor', ['AUTHENTICATOR_APP', 'PASSKEY']);
export type SecondFactor = z.output<typeof SecondFactor>;

/** A person who can sign in. */
export const User = message('User', {
  user_id: z.string(),
  /** The display name; the primary address if there is no display name. */
  name: z.string(),
  display_name: z.string().optional(),
  primary_email: z.string().optional(),
  primary_account_id: z.string().optional(),
  /** False for a deactivated or deleted user. Both APIs then refuse the user, even with a valid token. */
  is_active: bool(),
  is_admin: bool(),
  /** The rights of the admin. Absent for a user who is none. */
  admin_role: AdminRole.optional(),
  is_deleted: bool(),
  /**
   * NOT_INVITED: nobody knows a password of the user; call ResetPassword. INVITED: the user has a temporary password,
   * and has not signed in with it. INVITATION_EXPIRED: it is not valid any more; call ResendInvitation or ResetPassword.
   * ACTIVE: the user has signed in.
   */
  sign_in_state: z.enum(['NOT_INVITED', 'INVITED', 'INVITATION_EXPIRED', 'ACTIVE', 'DEACTIVATED', 'DELETED']),
  /** The time until which the temporary password is valid. Present for INVITED and INVITATION_EXPIRED. */
  temporary_password_until: instant().optional(),
  /** The last sign-in, of which only the first of a day (UTC) is recorded. */
  last_sign_in_at: instant().optional(),
  /** The clients of the last 90 days, the last used first, at most 20. */
  clients: list(UsedClient),
  /** The time at which a deleted user is removed. Until then RestoreUser restores the user. Absent for other users. */
  removal_at: instant().optional(),
  idp_identities: list(IdpIdentity),
  created_at: instant(),
  updated_at: instant(),
});
export type User = z.input<typeof User>;

export const UserOrder = enumeration('UserOrder', ['NAME', 'PRIMARY_EMAIL', 'CREATED_AT']);

const displayNameLimits = { max: 100 };

/** The service /users (docs/specification.md#users). */
export const users = service({
  name: 'users',
  summary: 'The people who can sign in, and which of them are admins.',
  methods: {
    CreateUser: method({
      summary:
        'Creates a user in the directory and at the identity provider, which sends an invitation. ' +
        'No invitation is mailed to a domain that this deployment receives: invitation_sent is then false, and the user cannot sign in ' +
        'before ResetPassword makes a temporary password. With invitation_email, Amazon SES mails the invitation to that address outside, ' +
        'which is kept nowhere. With return_temporary_password no invitation is mailed to any address, and ' +
        `temporary_password is returned once and stored nowhere; it is valid for ${temporaryPasswordDays} days. ` +
        "The address of another user's mailbox is refused. Addresses are compared case-insensitively.",
      changes: true,
      roles: ['HELPDESK'],
      request: {
        email: newEmailAddress(),
        display_name: text(displayNameLimits).optional(),
        invitation_email: newEmailAddress().optional(),
        return_temporary_password: bool().default(false),
      },
      response: {
        user: User,
        invitation_sent: bool(),
        /** Present with return_temporary_password. */
        temporary_password: z.string().optional(),
      },
      errors: ['already_exists', 'failed_precondition', 'aborted'],
    }),
    ListUsers: method({
      summary:
        'Lists the users. Without any field but those of paging the order is stable but has no meaning. query finds users by ' +
        'name, sign-in address, and each address of the accounts that they own.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {
        ...paging({ max: 1000, default: 50 }),
        ...ordering(UserOrder),
        is_active: bool().optional(),
        is_admin: bool().optional(),
        is_deleted: bool().optional(),
      },
      response: { users: list(User), ...nextPage },
    }),
    GetUser: method({
      summary: 'Returns one user.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { user_id: reference() },
      response: { user: User },
      errors: ['not_found'],
    }),
    UpdateUser: method({
      summary:
        'Changes the given fields. An empty display_name removes the stored one. ' +
        'An admin without admin_role has the role ALL. Only the role ALL gives and takes admin rights and roles. ' +
        'The last admin with the role ALL can be neither demoted nor deactivated, and gets no other role. ' +
        'The change takes effect at once, whatever token the user has.',
      changes: true,
      roles: ['HELPDESK'],
      request: {
        user_id: reference(),
        display_name: textOrNone(displayNameLimits).optional(),
        is_active: bool().optional(),
        is_admin: bool().optional(),
        admin_role: AdminRole.optional(),
      },
      response: { user: User },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ChangeSignInAddress: method({
      summary:
        "Changes the address with which the user signs in, which may be an address of the user's own account. All sessions of the user " +
        'end. Password, second factor, accounts and mail stay. After a change to a domain that this deployment receives, only ResetPassword ' +
        'replaces a forgotten password. The address of another user or of their mailbox is refused.',
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference(), email: newEmailAddress() },
      response: { user: User },
      errors: ['not_found', 'already_exists', 'failed_precondition', 'aborted'],
    }),
    DeleteUser: method({
      summary:
        'Marks the user as deleted, signs them out and blocks sign-in. The last admin cannot be deleted. The user is removed when ' +
        'the retention of deleted mail is over; until then RestoreUser restores the user. The address can be invited again at once, as ' +
        'somebody new, unless a mailbox has it. Accounts stay: DeleteAccount deletes them, SetPrimaryAlias and MoveAlias give their addresses to others.',
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference() },
      response: {
        /** The user's own accounts, which go on receiving mail. */
        own_accounts: list(Account),
        /** The other accounts of which the user stays a member until the user is removed. */
        other_accounts: list(Account),
      },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    RestoreUser: method({
      summary:
        'Restores a deleted user with their memberships and lets them sign in again, unless the user is being removed. ' +
        'With email, the user signs in with that address, for example when somebody else has theirs by now.',
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference(), email: newEmailAddress().optional() },
      response: { user: User },
      errors: ['not_found', 'already_exists', 'failed_precondition', 'aborted'],
    }),
    ResendInvitation: method({
      summary:
        'Makes the identity provider send the invitation again, with a new temporary password; the old one ends. ' +
        'Only for an active user who has not chosen a password yet, and whose address is not at a domain that this deployment receives.',
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ResetPassword: method({
      summary:
        'Replaces the password of an active user with a temporary password, which is returned once and stored nowhere. It is valid ' +
        `for ${temporaryPasswordDays} days, and the user chooses a new password at the next sign-in. All sessions of the user end. ` +
        'With invitation_email, Amazon SES mails it to that address outside, which is kept nowhere, and it is not returned.',
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference(), invitation_email: newEmailAddress().optional() },
      response: {
        /** Absent with invitation_email. */
        temporary_password: z.string().optional(),
      },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ResetSecondFactor: method({
      summary:
        'Removes the authenticator app of an active user, for example after the loss of a phone. All sessions of the user end, and the ' +
        'next sign-in sets up another app. The password stays. Refused where the deployment asks for no second factor.',
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    EndSessions: method({
      summary:
        'Ends all sessions of an active user, for example of a lost device: every program and browser signs in again. Password, second ' +
        'factor and mail stay.',
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ListUserAccounts: method({
      summary: 'Lists the accounts that the user is a member of.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { user_id: reference() },
      response: { accounts: list(Account) },
      errors: ['not_found'],
    }),
    GetUserOverview: method({
      summary: 'Returns the user, their primary account with its aliases, and every account that they are a member of.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { user_id: reference() },
      response: {
        user: User,
        /**
         * The second factors that the identity provider lists. It does not always list an app that its page has set up: an
         * empty list does not mean that the user has none.
         */
        second_factors: list(SecondFactor),
        primary_account: Account.optional(),
        primary_account_aliases: list(Alias),
        accounts: list(Account),
      },
      errors: ['not_found'],
    }),
    PutUserAccountMember: method({
      summary: 'Gives the user a role on an account, or changes the role. The same as PutAccountMember, for users only.',
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference(), account_id: reference(), role: AccountRole },
      response: { member: AccountMember },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    DeleteUserAccountMember: method({
      summary: "Removes the user from an account's access list. The same as DeleteAccountMember.",
      changes: true,
      roles: ['HELPDESK'],
      request: { user_id: reference(), account_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
  },
});
