import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import type { Log } from '../../core/runtime/log.ts';
import type { ClientRegistrations } from '../../core/directory/client-registrations.ts';
import type { Users } from '../../core/directory/users.ts';
import { accessTokenClaims } from './access-token-claims.ts';

export type Filling = { readonly users: Pick<Users, 'findBySub'>; readonly registrations: Pick<ClientRegistrations, 'isRegistered'>; readonly log: Log };

/**
 * Cognito asks at each sign-in and refresh what goes into the tokens. The person is found by `sub`, never by address: an address can be changed. The client is looked up
 * beside: an id is handed out only after it was recorded, so no client that registered itself goes unrecognised. Without an answer of the directory there is no token.
 */
export const fillToken = ({ users, registrations, log }: Filling) => async (event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> => {
  const { sub } = event.request.userAttributes;
  const { clientId } = event.callerContext;
  const [user, isRegistered] = await Promise.all([sub ? users.findBySub(sub) : undefined, clientId ? registrations.isRegistered(clientId) : true]);
  const accessTokenGeneration = accessTokenClaims(user, isRegistered ? 'registered' : 'deployed');
  log.info('token', { user_id: user?.user_id, client_id: clientId, scopes: accessTokenGeneration.scopesToAdd.length });
  event.response.claimsAndScopeOverrideDetails = { accessTokenGeneration };
  return event;
};
