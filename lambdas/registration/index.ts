import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { cognitoClientRegistrar } from '../../core/aws/cognito-client-registrar.ts';
import { clientRegistrationsIn } from '../../core/directory/clients/client-registrations.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { registrationDisabledHandler, registrationHandler } from './registration-handler.ts';

const enabledHandler = () =>
  registrationHandler({
    registrations: clientRegistrationsIn(dynamodbTable(setting('directoryTable')), systemClock),
    registrar: cognitoClientRegistrar(setting('userPoolId')),
    clock: systemClock,
    pause: (milliseconds) => pause(milliseconds),
    newHolderId: randomUUID,
    log: logFor('registration'),
  });

/** POST /oauth/register. */
export const handler = invoked(setting('dynamicRegistration') === 'true' ? enabledHandler() : registrationDisabledHandler);
