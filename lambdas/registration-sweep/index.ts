import { randomUUID } from 'node:crypto';
import { cognitoClientRegistrar } from '../../core/aws/cognito-client-registrar.ts';
import { auditTrailIn } from '../../core/directory/audit-log.ts';
import { clientRegistrationsIn } from '../../core/directory/clients/client-registrations.ts';
import { registeredClientsIn } from '../../core/directory/clients/registered-clients.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { newId } from '../../core/runtime/ids.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { sweepClients, type SweepDependencies } from './sweep-clients.ts';

const directory = dynamodbTable(setting('directoryTable'));

const sweepDependencies: SweepDependencies = {
  registrations: clientRegistrationsIn(directory, systemClock),
  clients: registeredClientsIn(directory, systemClock),
  registrar: cognitoClientRegistrar(setting('userPoolId')),
  audit: { trail: auditTrailIn(directory), newId, clock: systemClock },
  clock: systemClock,
  newHolderId: randomUUID,
  log: logFor('registration-sweep'),
};

/** Runs once a day, by a schedule. */
export const handler = invoked((): Promise<void> => sweepClients(sweepDependencies));
