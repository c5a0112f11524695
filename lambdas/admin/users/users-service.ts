import type { users } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import type { Members } from '../../../core/directory/users/members.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { changeSignInAddress } from './change-sign-in-address.ts';
import { createUser } from './create-user.ts';
import { deleteUserAccountMember } from './delete-user-account-member.ts';
import { deleteUser } from './delete-user.ts';
import { endSessions } from './end-sessions.ts';
import { getUserOverview } from './get-user-overview.ts';
import { getUser } from './get-user.ts';
import { listUserAccounts } from './list-user-accounts.ts';
import { listUsers } from './list-users.ts';
import type { PasswordMailDependencies } from './mail-temporary-password.ts';
import { putUserAccountMember } from './put-user-account-member.ts';
import { resendInvitation } from './resend-invitation.ts';
import { resetPassword } from './reset-password.ts';
import { resetSecondFactor } from './reset-second-factor.ts';
import { restoreUser } from './restore-user.ts';
import { updateUser } from './update-user.ts';

type UsersDependencies = PasswordMailDependencies & {
  readonly users: Users;
  readonly accounts: Pick<Accounts, 'findAll' | 'isOwnedBy'>;
  readonly aliases: Pick<Aliases, 'findByAccount'>;
  readonly members: Pick<Members, 'accountIdsOf' | 'accountsOf' | 'put' | 'remove'>;
  readonly identityProvider: IdentityProvider;
  /** Seconds for which a deleted user can be restored. */
  readonly recoverableSeconds: number;
  readonly log: Log;
  readonly newId: NewId;
  readonly clock: Clock;
};

/** The methods of /users (docs/specification.md#users). */
export const usersService = (dependencies: UsersDependencies): AdminMethods<typeof users> => ({
  CreateUser: createUser(dependencies),
  ListUsers: listUsers(dependencies),
  GetUser: getUser(dependencies),
  UpdateUser: updateUser(dependencies),
  ChangeSignInAddress: changeSignInAddress(dependencies),
  DeleteUser: deleteUser(dependencies),
  RestoreUser: restoreUser(dependencies),
  ResendInvitation: resendInvitation(dependencies),
  ResetPassword: resetPassword(dependencies),
  ResetSecondFactor: resetSecondFactor(dependencies),
  EndSessions: endSessions(dependencies),
  ListUserAccounts: listUserAccounts(dependencies),
  GetUserOverview: getUserOverview(dependencies),
  PutUserAccountMember: putUserAccountMember(dependencies),
  DeleteUserAccountMember: deleteUserAccountMember(dependencies),
});
