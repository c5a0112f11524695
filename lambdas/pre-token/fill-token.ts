import { setTimeout as timer } from 'node:timers/promises';
import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import type { DeployedClients } from '../../core/directory/clients/deployed-clients.ts';
import type { RegisteredClients, RegisteredClientUse } from '../../core/directory/clients/registered-clients.ts';
import type { TokenUse } from '../../core/directory/users/sign-ins.ts';
import type { StoredUser, Users } from '../../core/directory/users/users.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { Log } from '../../core/runtime/log.ts';
import { accessTokenClaims } from './access-token-claims.ts';

type FillTokenDependencies = {
  readonly users: Pick<Users, 'findBySub' | 'recordTokens'>;
  readonly clients: Pick<RegisteredClients, 'find' | 'recordUse'>;
  readonly deployedClients: Pick<DeployedClients, 'has'>;
  readonly clock: Clock;
  readonly log: Log;
};

/** Maximum milliseconds for which a sign-in waits until it is recorded. */
const longestWait = 1000;

/** Records the sign-in and the use of the client. A failure or a slow table must not stop the sign-in. */
const recordUse = async (
  { users, clients, clock, log }: FillTokenDependencies,
  user: StoredUser,
  use: TokenUse,
  client: RegisteredClientUse | undefined,
): Promise<void> => {
  const written = Promise.all([users.recordTokens(user, use, clock()), client && clients.recordUse(client)]);
  const recorded = written.catch((failure: unknown) =>
    log.warn('the use of a client could not be recorded', { client_id: use.clientId, ...errorLogFields(failure) }),
  );
  await Promise.race([recorded, timer(longestWait, undefined, { ref: false })]);
};

/**
 * Cognito's pre-token-generation trigger, at each sign-in and refresh. It finds the user by `sub`, because an address
 * can change, and the client by its id. A registration is stored before its client id is returned, and a client that is
 * being removed stays stored until Cognito has deleted it. If the directory cannot be read, Cognito issues no token.
 */
export const fillToken =
  (dependencies: FillTokenDependencies) =>
  async (event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> => {
    const { users, clients, deployedClients, log } = dependencies;
    const { sub } = event.request.userAttributes;
    const { clientId } = event.callerContext;
    const [user, registered, isDeployed] = await Promise.all([
      sub ? users.findBySub(sub) : undefined,
      clientId ? clients.find(clientId) : undefined,
      clientId ? deployedClients.has(clientId) : false,
    ]);
    const client = registered ? 'registered' : isDeployed ? 'deployed' : undefined;
    if (!client) log.warn('an app client is in no record', { client_id: clientId });
    const accessTokenGeneration = accessTokenClaims(user, client, event.request.scopes);
    if (user && clientId && accessTokenGeneration.scopesToAdd.length > 0) {
      const use = { clientId, name: registered?.name, isSignIn: event.triggerSource !== 'TokenGeneration_RefreshTokens' };
      await recordUse(dependencies, user, use, registered);
    }
    log.info('token claims set', { user_id: user?.user_id, client_id: clientId, scopes: accessTokenGeneration.scopesToAdd.length });
    event.response.claimsAndScopeOverrideDetails = { accessTokenGeneration };
    return event;
  };
