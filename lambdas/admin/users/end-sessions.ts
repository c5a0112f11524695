import { users as contract } from '../../../contract/admin/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { resetCredential, type ResetDependencies } from './reset-credential.ts';

export const endSessions = (dependencies: ResetDependencies) =>
  adminMethod(contract.methods.EndSessions, {
    prefetch: ({ user_id }) => dependencies.users.find(user_id),
    async run(_, { audit }, found) {
      await resetCredential(found, audit, dependencies, async () => undefined);
      return {};
    },
  });
