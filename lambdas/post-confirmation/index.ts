import { setTimeout as pause } from 'node:timers/promises';
import { cognitoIdentityProvider } from '../../core/aws/cognito-identity-provider.ts';
import { auditTrailIn } from '../../core/directory/audit-log.ts';
import { usersIn } from '../../core/directory/users/users.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { newId } from '../../core/runtime/ids.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { endOldSessions } from './end-old-sessions.ts';

const directory = dynamodbTable(setting('directoryTable'));

/** Cognito's post-confirmation trigger. */
export const handler = invoked(
  endOldSessions({
    users: usersIn(directory, systemClock),
    // The pool can't be in the environment, because the pool refers to the Lambda.
    identityProviderOf: (userPoolId) => cognitoIdentityProvider(userPoolId),
    audit: { trail: auditTrailIn(directory), newId, clock: systemClock },
    pause,
  }),
);
