import type { AccessToken } from '../../runtime/http/access-token.ts';
import type { HttpResponse } from '../../runtime/http/http.ts';
import { endedSignIn, unknownPrincipal, type Refused } from '../../runtime/http/jmap-gate.ts';
import { isRevoked, type Principal, type Principals } from './principals.ts';

/** The principal of a token, or the response for a refused request. */
type AdmittedPrincipal = { readonly principal: Principal; readonly refusal?: undefined } | { readonly principal?: undefined; readonly refusal: HttpResponse };

/** Finds the principal of a token that the gate admitted: 403 without an active principal, and 401 for a token that ended. */
export const admittedPrincipal = async (token: AccessToken, principals: Principals, refused: Refused): Promise<AdmittedPrincipal> => {
  const principal = await principals.find(token);
  if (!principal?.isActive) return { refusal: unknownPrincipal(refused) };
  return isRevoked(token, principal) ? { refusal: endedSignIn(refused) } : { principal };
};
