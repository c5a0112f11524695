import type { User } from '../../../contract/admin/users.ts';
import type { IdentityProvider } from '../../../core/aws/cognito/identity-provider.ts';
import { reserveWhileCreating, type Reservation } from '../../../core/directory/reservation.ts';
import type { Users } from '../../../core/directory/users.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { InvalidInput } from '../../../core/runtime/domain-errors.ts';

type Connections = {
  readonly users: Pick<Users, 'release' | 'complete'>;
  readonly identityProvider: Pick<IdentityProvider, 'invite'>;
  readonly clock: Clock;
};

/** A user who does not exist yet. */
export type NewUser = { readonly email: string; readonly display_name?: string; readonly is_admin: boolean };

export const emailTaken = (): RpcError => new RpcError('already_exists', 'a user has this email address already');

/**
 * Creates a user at the identity provider, which sends an invitation, and in the directory. Each step resumes what an
 * interrupted call left. Of two concurrent calls, one completes the user.
 * @param reserving resolves to the id that the address is reserved for; the identity provider is called meanwhile.
 * @throws RpcError already_exists if another call completed the user;
 * InvalidInput if the identity provider rejects the address, which is then released.
 */
export const inviteUser = async (
  { users, identityProvider, clock }: Connections,
  reserving: Promise<Reservation>,
  { email, display_name, is_admin }: NewUser,
  audit: Pick<Audit, 'describe' | 'successWrites'>,
  asFirst?: 'first-admin',
): Promise<User> => {
  const [{ id: userId, isReady }, invited] = await reserveWhileCreating(reserving, identityProvider.invite(email));
  if (isReady) throw emailTaken();
  const identity = await invited().catch(async (error: unknown) => {
    if (error instanceof InvalidInput) await users.release(email, userId);
    throw error;
  });
  const now = clock().toISOString();
  const user: User = {
    user_id: userId,
    name: display_name ?? email,
    display_name,
    primary_email: email,
    is_active: true,
    is_admin,
    is_deleted: false,
    idp_identities: [identity],
    created_at: now,
    updated_at: now,
  };
  const changes = changesBetween<User>({}, user, ['primary_email', 'display_name', 'is_admin']);
  audit.describe({ entity_id: userId, entity_name: user.name, changes });
  if (!(await users.complete(user, audit.successWrites(), asFirst))) throw emailTaken();
  return user;
};
