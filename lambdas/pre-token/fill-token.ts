import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import type { Log } from '../../core/runtime/log.ts';
import type { ClientRegistrations } from '../../core/directory/client-registrations.ts';
import type { Users } from '../../core/directory/users.ts';
import { accessTokenClaims } from './access-token-claims.ts';

export type FillTokenPorts = {
  readonly users: Pick<Users, 'findBySub'>; readonly registrations: Pick<ClientRegistrations, 'isRegistered'>; readonly log: Log,
};

/**
 * Cognito's pre-token-generation trigger, at each sign-in and refresh. It finds the user by `sub`, because an address
 * can change. It finds registered clients by id: registration returns an id only after it stored it. If the directory
 * fails, Cognito issues no token.
 */
export const fillToken = (
  { users, registrations, log }: FillTokenPorts,
) => async (event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> => {
  const { sub } = event.request.userAttributes;
  const { clientId } = event.callerContext;
  const [user, isRegistered] = await Promise.all([
    sub ? users.findBySub(sub) : undefined, clientId ? registrations.isRegistered(clientId) : true,
  ]);
  const accessTokenGeneration = accessTokenClaims(user, isRegistered ? 'registered' : 'deployed', event.request.scopes);
  log.info('token claims set', { user_id: user?.user_id, client_id: clientId, scopes: accessTokenGeneration.scopesToAdd.length });
  event.response.claimsAndScopeOverrideDetails = { accessTokenGeneration };
  return event;
};
