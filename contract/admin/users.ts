import * as z from 'zod';
import { bool, emailAddress, instant, list, paging, nextPage, reference, text, textOrNone } from '../fields.ts';
import { message, method, service } from '../rpc.ts';
import { Account, AccountMember, AccountRole } from './accounts.ts';
import { Alias } from './aliases.ts';

/** A person's record at the identity provider. */
export const IdpIdentity = message('IdpIdentity', {
  /** `cognito` */
  provider: z.string(),
  /** The provider's own, lasting name of the person. */
  sub: z.string(),
  username: z.string(),
  email: z.string().optional(),
  groups: list(z.string()),
});

/** A person who signs in (docs/choices.md §2 "User"). */
export const User = message('User', {
  user_id: z.string(),
  /** What to call the person: the display name, or the address where there is none. */
  name: z.string(),
  display_name: z.string().optional(),
  primary_email: z.string().optional(),
  primary_account_id: z.string().optional(),
  /** False once deactivated or deleted: refused everywhere, whatever the token says. */
  is_active: bool(),
  is_admin: bool(),
  is_deleted: bool(),
  idp_identities: list(IdpIdentity),
  created_at: instant(),
  updated_at: instant(),
});
export type User = z.input<typeof User>;

const displayName = { max: 100 };

/** Spec: Operations seen in usage; docs/choices.md §2. */
export const users = service({
  name: 'users',
  summary: 'People: who may sign in, who administers.',
  methods: {
    CreateUser: method({
      summary: 'Makes a person here and at the identity provider, which sends an invitation. The address is compared without regard to case.',
      changes: true,
      request: { email: emailAddress(), display_name: text(displayName).optional() },
      response: { user: User },
      errors: ['already_exists', 'aborted'],
    }),
    ListUsers: method({
      summary: 'Everybody, in a lasting order of no meaning.',
      request: paging({ max: 1000, default: 50 }),
      response: { users: list(User), ...nextPage },
    }),
    GetUser: method({
      summary: 'One person.',
      request: { user_id: reference() },
      response: { user: User },
      errors: ['not_found'],
    }),
    UpdateUser: method({
      summary: 'Changes what is given. An empty display_name takes away the one that is there. The last admin can be neither demoted nor deactivated. Holds at once, whatever token the person has.',
      changes: true,
      request: { user_id: reference(), display_name: textOrNone(displayName).optional(), is_active: bool().optional(), is_admin: bool().optional() },
      response: { user: User },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    DeleteUser: method({
      summary: 'Marks the person deleted, signs them out and blocks sign-in. The last admin can not be deleted.',
      changes: true,
      request: { user_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ListUserAccounts: method({
      summary: 'The accounts that the person is a member of.',
      request: { user_id: reference() },
      response: { accounts: list(Account) },
      errors: ['not_found'],
    }),
    GetUserOverview: method({
      summary: 'The person with their primary account, its aliases, and every account they are a member of.',
      request: { user_id: reference() },
      response: {
        user: User,
        primary_account: Account.optional(),
        primary_account_aliases: list(Alias),
        accounts: list(Account),
      },
      errors: ['not_found'],
    }),
    PutUserAccountMember: method({
      summary: 'Creates or updates the person\'s role on an account: PutAccountMember, seen from the person.',
      changes: true,
      request: { user_id: reference(), account_id: reference(), role: AccountRole },
      response: { member: AccountMember },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    DeleteUserAccountMember: method({
      summary: 'Removes the person from an account\'s access list: DeleteAccountMember, seen from the person.',
      changes: true,
      request: { user_id: reference(), account_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
  },
});
