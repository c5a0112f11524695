import type { User } from '../../../contract/admin/users.ts';
import type { Invitation } from '../../../contract/oauth/first-sign-in.ts';
import type { Clock } from '../../runtime/clock.ts';
import { AlreadyExists, InvalidInput } from '../../runtime/domain-errors.ts';
import type { Write } from '../../storage/table.ts';
import { reserveWhileCreating, type Reservation } from '../reservation.ts';
import { withDerived, type NewUser, type Users } from './users.ts';

type InviteDependencies = {
  readonly users: Pick<Users, 'release' | 'complete'>;
  /** The identity provider, which sends the invitation. */
  readonly identityProvider: { invite(email: string, invitation: Invitation | undefined): Promise<NonNullable<User['idp_identities']>[number]> };
  readonly clock: Clock;
};

/** A user who does not exist yet. */
type InvitedUser = {
  readonly email: string;
  readonly display_name?: string;
  readonly is_admin: boolean;
  /** The invitation that the identity provider mails to the address. Undefined for an address at a domain that is received here. */
  readonly invitation: Invitation | undefined;
  /** Whether the caller makes a temporary password next. */
  readonly getsPassword?: boolean;
};

export const emailTaken = (): AlreadyExists => new AlreadyExists('a user has this email address already');
export const mailboxOfAnother = (): AlreadyExists =>
  new AlreadyExists('the address belongs to the mailbox of another user, or to a group; delete the alias or the group, or choose another address');

/**
 * Creates a user at the identity provider, which may send an invitation, and in the directory. Each step resumes the work
 * of an interrupted call. Of two concurrent calls, one completes the user.
 * @param reserving resolves to the id for which the address is reserved. The identity provider is called concurrently.
 * @param additionalWrites writes for the transaction that completes the user.
 * @throws AlreadyExists if another call completed the user; InvalidInput if the identity provider rejects the address,
 * which is then released.
 */
export const inviteUser = async (
  { users, identityProvider, clock }: InviteDependencies,
  reserving: Promise<Reservation>,
  { email, display_name, is_admin, invitation, getsPassword = false }: InvitedUser,
  additionalWrites: (user: NewUser) => readonly Write[],
  asFirst?: 'first-admin',
): Promise<User> => {
  const [{ id: userId, isReady }, invited] = await reserveWhileCreating(reserving, identityProvider.invite(email, invitation));
  if (isReady) throw emailTaken();
  const identity = await invited().catch(async (error: unknown) => {
    if (error instanceof InvalidInput) await users.release(email, userId);
    throw error;
  });
  const now = clock();
  const at = now.toISOString();
  const user: NewUser = {
    user_id: userId,
    name: display_name ?? email,
    display_name,
    primary_email: email,
    is_active: true,
    is_admin,
    is_deleted: false,
    idp_identities: [identity],
    created_at: at,
    updated_at: at,
    temporary_password_at: invitation || getsPassword ? at : 'never',
  };
  if (!(await users.complete(user, additionalWrites(user), asFirst))) throw emailTaken();
  return withDerived(user, now);
};
