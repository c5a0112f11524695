import { users as contract, type User } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import { emailTaken } from '../../../core/directory/users/invite-user.ts';
import type { Users } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { DomainError, FailedPrecondition, StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { ownAccountAt, requireActive } from './stored-user.ts';

type Dependencies = {
  readonly users: Pick<Users, 'find' | 'isTaken' | 'reserveSignInAddress' | 'releaseSignInAddress' | 'changeSignInAddress'>;
  readonly accounts: Pick<Accounts, 'isOwnedBy'>;
  readonly addresses: Pick<Addresses, 'find'>;
  readonly identityProvider: Pick<IdentityProvider, 'changeAddress' | 'endSessions'>;
  readonly clock: Clock;
};

/**
 * Changes the address with which a user signs in: it is reserved, then changed at the identity provider, then in the
 * directory. The next call completes an interrupted one; a call with another address takes its place.
 */
export const changeSignInAddress = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ChangeSignInAddress, {
    prefetch: ({ user_id, email }) => Promise.all([dependencies.users.find(user_id), dependencies.users.isTaken(email), dependencies.addresses.find(email)]),
    async run({ user_id: userId, email }, { audit }, [found, isTaken, address]) {
      const { users, identityProvider, clock } = dependencies;
      const user = requireActive(found);
      const [identity] = user.idp_identities ?? [];
      const { primary_email: before } = user;
      audit.describe({ entity_name: user.name, changes: changesBetween<User>(user, { primary_email: email }, ['primary_email']) });
      if (!identity || before === undefined) throw new FailedPrecondition('the user has no sign-in address to change');
      if (before === email && user.changing_to === undefined) return { user };
      if (isTaken && email !== before && email !== user.changing_to) throw emailTaken();
      const ownAccountId = await ownAccountAt(address, userId, dependencies);
      const reserved = await users.reserveSignInAddress(user, email, audit.pendingWrites());
      if (!reserved) throw email !== before && (await users.isTaken(email)) ? emailTaken() : new StoreConflict();
      try {
        await identityProvider.changeAddress(identity.username, email);
        await identityProvider.endSessions(identity.username);
        return { user: await users.changeSignInAddress(reserved, email, ownAccountId, clock(), audit.successWrites()) };
      } catch (error) {
        // A crash or a failing provider keeps the reservation for the next call. After a refusal nothing is left of this one.
        if (error instanceof StoreConflict) await identityProvider.changeAddress(identity.username, before);
        if (error instanceof DomainError) await users.releaseSignInAddress(userId, email);
        throw error;
      }
    },
  });
