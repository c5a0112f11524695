import { deployedClientsIn } from '../../../core/directory/clients/deployed-clients.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { customResource } from '../../../core/runtime/lambda/custom-resource.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { stackOutputs, recordClients } from './record-clients.ts';

export const handler = invoked(
  customResource(
    'deployed-clients',
    recordClients({ clients: deployedClientsIn(dynamodbTable(setting('directoryTable'))), outputs: () => stackOutputs(setting('deployment')) }),
  ),
);
