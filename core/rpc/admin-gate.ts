import { scopes } from '../../contract/oauth.ts';
import { bearerToken, type VerifyAccessToken } from '../runtime/access-token.ts';
import { header, type HttpRequest } from '../runtime/http.ts';
import { RpcError } from './rpc-error.ts';

/** Who calls the admin interface, after the gate. */
export type Caller = {
  /** A user's id, or a machine's client id. */
  readonly principalId: string;
  readonly isMachine: boolean;
  /** A person's primary address. */
  readonly email?: string;
};

/** A person as the directory knows them now. */
export type KnownPerson = { readonly isActive: boolean; readonly isAdmin: boolean; readonly email?: string };

/** @returns undefined for a person that the directory does not know. */
export type FindPerson = (userId: string) => Promise<KnownPerson | undefined>;

/**
 * Judges a request by its Authorization header alone; the body is not looked at.
 * @param meanwhile what is to happen while the directory is asked about the person, once their token is known to be good; it must change nothing and not fail.
 */
export type AdminGate = (request: HttpRequest, needsScope: boolean, meanwhile?: () => Promise<void>) => Promise<Caller>;

/** The challenge of a refusal by the gate (RFC 6750 §3), as a header; none for an error of another kind. */
export const challengeOf = ({ code }: RpcError, request: HttpRequest): { readonly 'www-authenticate'?: string } => {
  if (code === 'unauthenticated') return { 'www-authenticate': bearerToken(header(request, 'authorization')) === undefined ? 'Bearer' : 'Bearer error="invalid_token"' };
  return code === 'permission_denied' ? { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.ADMIN}"` } : {};
};

/**
 * The gate of every method (spec: Authentication 5, 6): default deny. What the directory says about a person now decides, whatever their token says.
 * A machine is an admin principal by its token's scope; a person by the directory, and their token needs the scope too unless the method needs none.
 * @throws RpcError unauthenticated without a valid token, permission_denied for anybody but an admin.
 */
export const adminGate = (verify: VerifyAccessToken, findPerson: FindPerson): AdminGate => async (request, needsScope, meanwhile) => {
  const bearer = bearerToken(header(request, 'authorization'));
  const token = bearer === undefined ? undefined : await verify(bearer);
  if (!token) throw new RpcError('unauthenticated', bearer === undefined ? 'an access token is needed' : 'the access token is not valid');
  const { principalId, isMachine } = token;
  const denied = new RpcError('permission_denied', 'only an admin may do this');
  if ((isMachine || needsScope) && !token.scopes.has(scopes.ADMIN)) throw denied;
  const [person] = await Promise.all([isMachine || principalId === '' ? undefined : findPerson(principalId), meanwhile?.()]);
  if (isMachine) return { principalId, isMachine };
  if (!person?.isActive || !person.isAdmin) throw denied;
  return { principalId, isMachine, email: person.email };
};
