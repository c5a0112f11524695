import { users as contract } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/cognito/identity-provider.ts';
import { emailTaken, inviteUser } from '../../../core/directory/users/invite-user.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { newUserAudit } from '../../../core/rpc/directory-audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';

type Dependencies = {
  readonly users: Pick<Users, 'isTaken' | 'reserve' | 'release' | 'complete'>;
  readonly identityProvider: Pick<IdentityProvider, 'invite'>;
  readonly newId: NewId;
  readonly clock: Clock;
};

export const createUser = (dependencies: Dependencies) => adminMethod(contract.methods.CreateUser, {
  prefetch: ({ email }) => dependencies.users.isTaken(email),
  async run({ email, display_name }, { audit }, isTaken) {
    audit.describe({ entity_name: display_name ?? email });
    if (isTaken) throw emailTaken();
    const reserving = dependencies.users.reserve(email, dependencies.newId('user'));
    return { user: await inviteUser(dependencies, reserving, { email, display_name, is_admin: false }, newUserAudit(audit)) };
  },
});
