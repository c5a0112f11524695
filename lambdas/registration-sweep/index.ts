import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/runtime/clock.ts';
import { logFor } from '../../core/runtime/log.ts';
import { cognitoClientRegistrar } from '../../core/aws/cognito/cognito-client-registrar.ts';
import { clientRegistrationsIn } from '../../core/directory/client-registrations.ts';
import { sweepClients, type SweepPorts } from './sweep-clients.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { setting } from '../../core/runtime/settings.ts';

const sweepPorts: SweepPorts = {
  registrations: clientRegistrationsIn(dynamodbTable(setting('directoryTable')), systemClock),
  registrar: cognitoClientRegistrar(setting('userPoolId')),
  newHolderId: randomUUID,
  log: logFor('registration-sweep'),
};

/** Runs once a day, by a schedule. */
export const handler = (): Promise<void> => sweepClients(sweepPorts);
