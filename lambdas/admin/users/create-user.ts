import { users as contract, type User } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import { isHeld } from '../../../core/directory/aliases/addresses.ts';
import { emailTaken, inviteUser, mailboxOfAnother } from '../../../core/directory/users/invite-user.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { newUserAudit } from '../../../core/rpc/directory-audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { Unavailable } from '../../../core/runtime/domain-errors.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import {
  findIsReceived,
  invitationBy,
  mailTemporaryPassword,
  requireOutside,
  temporaryPassword,
  type PasswordMailDependencies,
} from './mail-temporary-password.ts';

type Dependencies = PasswordMailDependencies & {
  readonly users: Pick<Users, 'isTaken' | 'reserve' | 'release' | 'complete'>;
  readonly identityProvider: Pick<IdentityProvider, 'invite' | 'resetPassword'>;
  readonly newId: NewId;
  readonly clock: Clock;
};

/**
 * Sets the temporary password of a user whom this call has created, and of nobody whom another call or an operator
 * created meanwhile. @throws Unavailable, with the next step.
 */
const setPassword = async (identityProvider: Dependencies['identityProvider'], { idp_identities: identities = [] }: User): Promise<string> => {
  const password = temporaryPassword();
  try {
    for (const { username } of identities) await identityProvider.resetPassword(username, password);
  } catch (error) {
    throw new Unavailable('the user was created, but the temporary password could not be set; call users/ResetPassword for it', { cause: error });
  }
  return password;
};

export const createUser = (dependencies: Dependencies) =>
  adminMethod(contract.methods.CreateUser, {
    prefetch: ({ email, invitation_email: to }) =>
      Promise.all([dependencies.users.isTaken(email), dependencies.addresses.find(email), findIsReceived(dependencies, to)]),
    async run({ email, display_name, invitation_email: to, return_temporary_password: returnsPassword }, { audit, caller }, [isTaken, address, isReceived]) {
      audit.describe({ entity_name: display_name ?? email });
      if (to !== undefined && returnsPassword) {
        throw new RpcError('invalid_argument', 'invitation_email and return_temporary_password exclude each other; give one of them');
      }
      requireOutside(isReceived);
      if (isTaken) throw emailTaken();
      if (isHeld(address)) throw mailboxOfAnother();
      const reserving = dependencies.users.reserve(email, dependencies.newId('user'));
      const setsPassword = to !== undefined || returnsPassword;
      const newUser = { email, display_name, is_admin: false };
      const invitation = address.isDomainReceiving || setsPassword ? undefined : invitationBy(caller, dependencies.signIn, newUser);
      const auditWrites = newUserAudit(audit, { isLastStep: !setsPassword });
      const user = await inviteUser(dependencies, reserving, { ...newUser, invitation, getsPassword: setsPassword }, auditWrites);
      if (!setsPassword) return { user, invitation_sent: invitation !== undefined };
      const password = await setPassword(dependencies.identityProvider, user);
      if (to === undefined) return { user, invitation_sent: false, temporary_password: password };
      await mailTemporaryPassword(dependencies, caller, user, { to, password, isReset: false, done: 'the user was created' });
      return { user, invitation_sent: true };
    },
  });
