import { deployedClientsIn } from '../../core/directory/clients/deployed-clients.ts';
import { registeredClientsIn } from '../../core/directory/clients/registered-clients.ts';
import { usersIn } from '../../core/directory/users/users.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { fillToken } from './fill-token.ts';

const table = dynamodbTable(setting('directoryTable'));

/** Cognito's pre-token-generation trigger. */
export const handler = invoked(
  fillToken({
    users: usersIn(table, systemClock),
    clients: registeredClientsIn(table, systemClock),
    deployedClients: deployedClientsIn(table),
    clock: systemClock,
    log: logFor('pre-token'),
  }),
);
