import { randomUUID } from 'node:crypto';
import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import { logFor } from '../platform/log.ts';
import { cognitoClientRegistrar } from '../providers/cognito-client-registrar.ts';
import { clientRegistrationsIn } from '../store/directory/client-registrations.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { sweepClients, type Sweeping } from './sweep-clients.ts';

const sweeping: Sweeping = {
  registrations: clientRegistrationsIn(directoryTable(), systemClock),
  registrar: cognitoClientRegistrar(configured('userPoolId')),
  newHolder: randomUUID,
  log: logFor('registration-sweep'),
};

/** Runs once a day. */
export const handler = (): Promise<void> => sweepClients(sweeping);
