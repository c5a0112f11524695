import { signOutPaths } from '../../contract/jmap/discovery.ts';
import { scopes } from '../../contract/oauth/oauth.ts';
import { mayCall, missingRole, type AdminRole, type LimitedRole } from '../../contract/rpc/admin-roles.ts';
import { isRevoked, tokensRevokedAtOf } from '../directory/users/principals.ts';
import { maySignIn } from '../directory/users/sign-ins.ts';
import { adminRoleOf, type Users } from '../directory/users/users.ts';
import { bearerToken, missingScope, type AccessToken, type VerifyAccessToken } from '../runtime/http/access-token.ts';
import { header, type HttpRequest } from '../runtime/http/http.ts';
import { RpcError } from './rpc-error.ts';

/** The authorized caller of an admin method. */
export type Caller = {
  /** The id of a user, or the client id of a machine. */
  readonly principalId: string;
  readonly isMachine: boolean;
  /** The rights of the caller. A machine has all of them. */
  readonly role: AdminRole;
  /** The primary address and the name of a person. Absent for a machine. */
  readonly email?: string;
  readonly name?: string;
};

/** A person's current record in the directory. `tokensRevokedAt`: seconds since 1970 of the last deactivation. */
type KnownPerson = {
  readonly isActive: boolean;
  /** Undefined for a person who is not an admin. */
  readonly role: AdminRole | undefined;
  readonly email?: string | undefined;
  readonly name?: string;
  readonly tokensRevokedAt?: number | undefined;
};

/** Finds a person in the directory. @returns undefined for an unknown person. */
type FindPerson = (userId: string) => Promise<KnownPerson | undefined>;

export const findPersonIn =
  (users: Pick<Users, 'find'>): FindPerson =>
  async (userId) => {
    const user = await users.find(userId);
    return user && { isActive: maySignIn(user), role: adminRoleOf(user), email: user.primary_email, name: user.name, tokensRevokedAt: tokensRevokedAtOf(user) };
  };

/** The two checks of every admin call. Neither reads the body. */
export type AdminGate = {
  /**
   * Verifies the access token of the Authorization header.
   * @throws RpcError unauthenticated without a valid token, permission_denied for a token without the scope, where the
   * caller needs it.
   */
  authenticate(request: HttpRequest, needsScope: boolean): Promise<AccessToken>;
  /**
   * Checks in the directory whether the token's principal is currently an admin.
   * @param roles the roles of the method beside ALL; undefined when there is no such method.
   * @throws RpcError permission_denied for any other principal and for another role, unauthenticated for a token from before the person was
   * last deactivated.
   */
  authorize(token: AccessToken, roles: readonly LimitedRole[] | undefined): Promise<Caller>;
};

/** The WWW-Authenticate header of a 401 or 403 (RFC 6750 §3); empty for other errors. */
export const challengeOf = ({ code }: RpcError, request: HttpRequest): { readonly 'www-authenticate'?: string } => {
  if (code === 'unauthenticated') {
    const hasToken = bearerToken(header(request, 'authorization')) !== undefined;
    return { 'www-authenticate': hasToken ? 'Bearer error="invalid_token"' : 'Bearer' };
  }
  return code === 'permission_denied' ? { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.ADMIN}"` } : {};
};

/**
 * The gate of every method (docs/specification.md#admin-gate), which denies by default. The directory decides whether a
 * person is currently an admin and in which role, not the person's token. The token also needs the scope, unless the method needs none. A
 * machine needs only the scope of its token.
 */
export const adminGate = (verify: VerifyAccessToken, findPerson: FindPerson): AdminGate => {
  const invalidToken = () => new RpcError('unauthenticated', 'the access token is not valid');
  const endedSignIn = () =>
    new RpcError(
      'unauthenticated',
      'the sign-in of this access token has ended, for example by a new password: sign in again; if a new token is refused too, the browser is ' +
        `still signed in from before: sign out there first, in the console or at ${signOutPaths.start} of the JMAP server`,
    );
  const withoutScope = () => new RpcError('permission_denied', `only an admin may do this: the ${missingScope(scopes.ADMIN)}`);
  const denied = () => new RpcError('permission_denied', 'only an admin may do this');
  return {
    async authenticate(request, needsScope) {
      const bearer = bearerToken(header(request, 'authorization'));
      const token = bearer === undefined ? undefined : await verify(bearer);
      if (bearer === undefined) throw new RpcError('unauthenticated', 'an access token is needed');
      if (!token) throw invalidToken();
      if ((token.isMachine || needsScope) && !token.scopes.has(scopes.ADMIN)) throw withoutScope();
      return token;
    },
    async authorize({ principalId, isMachine, authenticatedAt }, roles) {
      if (isMachine) return { principalId, isMachine, role: 'ALL' };
      const person = principalId === '' ? undefined : await findPerson(principalId);
      if (!person?.isActive) throw denied();
      if (isRevoked({ authenticatedAt }, person)) throw endedSignIn();
      const { role } = person;
      if (!role) throw denied();
      if (roles && !mayCall(role, roles)) throw new RpcError('permission_denied', missingRole(role, 'this', roles));
      return { principalId, isMachine, role, email: person.email, name: person.name };
    },
  };
};
