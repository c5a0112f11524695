import { users as contract, type User } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/cognito/identity-provider.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import { emailTaken, inviteUser } from '../../../core/directory/users/invite-user.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { AlreadyExists, Unavailable } from '../../../core/runtime/domain-errors.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { newUserAudit } from '../../../core/rpc/directory-audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { temporaryPassword } from './temporary-password.ts';

type Dependencies = {
  readonly users: Pick<Users, 'isTaken' | 'reserve' | 'release' | 'complete'>;
  readonly addresses: Pick<Addresses, 'find'>;
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

export const createUser = (dependencies: Dependencies) => adminMethod(contract.methods.CreateUser, {
  prefetch: ({ email }) => Promise.all([dependencies.users.isTaken(email), dependencies.addresses.find(email)]),
  async run({ email, display_name, return_temporary_password: returnsPassword }, { audit }, [isTaken, address]) {
    audit.describe({ entity_name: display_name ?? email });
    if (isTaken) throw emailTaken();
    if (address.stored) throw new AlreadyExists('the address belongs to the mailbox of another user; delete the alias, or choose another address');
    const reserving = dependencies.users.reserve(email, dependencies.newId('user'));
    const sendsMail = !address.isDomainReceiving && !returnsPassword;
    const auditWrites = newUserAudit(audit, { isLastStep: !returnsPassword });
    const user = await inviteUser(dependencies, reserving, { email, display_name, is_admin: false, sendsMail }, auditWrites);
    return {
      user, invitation_sent: sendsMail, ...(returnsPassword && { temporary_password: await setPassword(dependencies.identityProvider, user) }),
    };
  },
});
