import type { User } from '../../../contract/admin/users.ts';
import { temporaryPasswordDays } from '../../../contract/oauth/oauth.ts';
import { utcDayOf } from '../../runtime/clock.ts';

/** Whether the user may sign in. */
export const maySignIn = ({ is_active: isActive, is_deleted: isDeleted }: Pick<User, 'is_active' | 'is_deleted'>): boolean => isActive && !isDeleted;

/** The address with which a user signs in. */
export const signInAddressOf = ({
  idp_identities: [identity] = [],
  primary_email: email,
}: Pick<User, 'idp_identities' | 'primary_email'>): string | undefined => identity?.email ?? email;

/** The fields of a user's record about sign-ins. Times are RFC 3339. */
export type SignIns = {
  /** The time at which the present temporary password was made; `never` for a user who has had none. */
  readonly temporary_password_at: string;
  /** The time of the last sign-in, of which only the first of a day is recorded. */
  readonly last_sign_in_at?: string;
  /** By client id, the first time of the last day (UTC) on which the client got tokens for the user. */
  readonly client_uses?: { readonly [clientId: string]: ClientUse };
};

type ClientUse = { readonly at: string; readonly name?: string };

/** Tokens that a client gets for a user, at a sign-in or later. The name is that of a client that registered itself. */
export type TokenUse = { readonly clientId: string; readonly name?: string | undefined; readonly isSignIn: boolean };

/** Days after which the use of a client is forgotten. */
const keptDays = 90;
/** Maximum clients that are kept for a user: the ones that were used last. */
const keptClients = 20;
const day = 24 * 60 * 60 * 1000;

/** Whether the user has not signed in with the present temporary password, or has never had one. */
const isWaiting = ({ temporary_password_at: since, last_sign_in_at: last }: SignIns): boolean => last === undefined || (since !== 'never' && last < since);

const clientsOf = ({ client_uses: uses = {} }: Pick<SignIns, 'client_uses'>) =>
  Object.entries(uses).toSorted(([, one], [, other]) => (one.at < other.at ? 1 : -1));

/** The times at which the user is known to have used the deployment, or none. */
export const usesOf = (user: Pick<SignIns, 'last_sign_in_at' | 'client_uses'>): readonly string[] => [
  ...(user.last_sign_in_at === undefined ? [] : [user.last_sign_in_at]),
  ...clientsOf(user).map(([, { at }]) => at),
];

/** The fields of the API about a user's sign-ins. */
export const signInFields = (
  user: Pick<User, 'is_active' | 'is_deleted'> & SignIns,
  now: Date,
): Pick<User, 'sign_in_state' | 'temporary_password_until' | 'clients'> => {
  const fields = {
    temporary_password_until: undefined,
    clients: clientsOf(user).map(([client_id, { name, at }]) => ({ client_id, client_name: name, last_used_at: at })),
  };
  if (!maySignIn(user)) return { ...fields, sign_in_state: user.is_deleted ? 'DELETED' : 'DEACTIVATED' };
  if (!isWaiting(user)) return { ...fields, sign_in_state: 'ACTIVE' };
  if (user.temporary_password_at === 'never') return { ...fields, sign_in_state: 'NOT_INVITED' };
  const until = new Date(Date.parse(user.temporary_password_at) + temporaryPasswordDays * day);
  return { ...fields, sign_in_state: until > now ? 'INVITED' : 'INVITATION_EXPIRED', temporary_password_until: until.toISOString() };
};

/**
 * The fields to store when a client gets tokens. Later tokens prove a sign-in too, because a new temporary password ends
 * all sessions.
 * @returns undefined when they are stored already: once a day for a client.
 */
export const changedByTokens = (
  user: SignIns,
  { clientId, name, isSignIn }: TokenUse,
  now: Date,
): Pick<SignIns, 'last_sign_in_at' | 'client_uses'> | undefined => {
  const at = now.toISOString();
  const isToday = (time: string | undefined): boolean => time !== undefined && utcDayOf(time) === utcDayOf(at);
  const isNewSignIn = isWaiting(user) || (isSignIn && !isToday(user.last_sign_in_at));
  const isNewUse = !isToday(user.client_uses?.[clientId]?.at);
  if (!isNewSignIn && !isNewUse) return undefined;
  const oldest = new Date(now.getTime() - keptDays * day).toISOString();
  const kept = clientsOf(user)
    .filter(([id, use]) => id !== clientId && use.at > oldest)
    .slice(0, keptClients - 1);
  return {
    ...(isNewSignIn && { last_sign_in_at: at }),
    ...(isNewUse && { client_uses: Object.fromEntries([[clientId, { at, ...(name !== undefined && { name }) }], ...kept]) }),
  };
};
