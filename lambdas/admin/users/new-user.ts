import type { User } from '../../../contract/admin/users.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { InvalidInput } from '../../../core/runtime/domain-errors.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { IdentityProvider } from '../../../core/aws/cognito/identity-provider.ts';
import { reservedWhile, type Reservation } from '../../../core/directory/reservation.ts';
import type { Users } from '../../../core/directory/users.ts';

export type UserStores = { readonly users: Users; readonly identityProvider: IdentityProvider; readonly newId: NewId; readonly clock: Clock };

/** A person to be made. */
export type Wanted = { readonly email: string; readonly display_name?: string; readonly is_admin: boolean };

export const emailTaken = (): RpcError => new RpcError('already_exists', 'somebody has this email address already');

/**
 * Makes a person whose address is reserved meanwhile: at the identity provider, which invites them, then in the directory. Each step finds what an
 * interrupted call left and goes on from there; of two calls at once one completes the person.
 * @param reserving resolves to the id under which the address is reserved.
 * @throws RpcError already_exists when somebody else did; invalid_argument when the provider does not take the address, which then is free again.
 */
export const completeUser = async (
  { users, identityProvider, clock }: Omit<UserStores, 'newId'>, reserving: Promise<Reservation>, wanted: Wanted, audit: Pick<Audit, 'about' | 'writes'>, asFirst?: 'first-admin',
): Promise<User> => {
  const [{ id: userId, isReady }, invited] = await reservedWhile(reserving, identityProvider.invite(wanted.email));
  if (isReady) throw emailTaken();
  const identity = await invited().catch(async (error: unknown) => {
    if (error instanceof InvalidInput) await users.release(wanted.email, userId);
    throw error;
  });
  const at = clock().toISOString();
  const user: User = {
    user_id: userId,
    name: wanted.display_name ?? wanted.email,
    display_name: wanted.display_name,
    primary_email: wanted.email,
    is_active: true,
    is_admin: wanted.is_admin,
    is_deleted: false,
    idp_identities: [identity],
    created_at: at,
    updated_at: at,
  };
  audit.about({ entity_id: userId, entity_name: user.name, changes: changesBetween<User>({}, user, ['primary_email', 'display_name', 'is_admin']) });
  if (!(await users.complete(user, audit.writes(), asFirst))) throw emailTaken();
  return user;
};
