import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { logFor } from '../platform/log.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { usersIn } from '../store/directory/users.ts';
import { accessTokenClaims } from './access-token-claims.ts';

const users = usersIn(directoryTable());
const log = logFor('pre-token');

/** Cognito asks at each sign-in and refresh what goes into the tokens. The person is found by `sub`, never by address: an address can be changed. */
export const handler = async (event: PreTokenGenerationV2TriggerEvent): Promise<PreTokenGenerationV2TriggerEvent> => {
  const sub = event.request.userAttributes['sub'];
  const user = sub ? await users.findBySub(sub) : undefined;
  const accessTokenGeneration = accessTokenClaims(user);
  log.info('token', { user_id: user?.user_id, scopes: accessTokenGeneration.scopesToAdd.length });
  event.response.claimsAndScopeOverrideDetails = { accessTokenGeneration };
  return event;
};
