import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { deployed } from './deployment.ts';

/**
 * Deletes the record of the new clients of the last day in a sandbox. All tests register from one network, which has a
 * part of the cap.
 */
export const resetDailyCap = async (): Promise<void> => {
  if (!deployed.awsEndpointUrl) return;
  const table = new DynamoDBClient(awsClientConfig(deployed));
  await table.send(
    new DeleteItemCommand({ TableName: deployed.outputs['directoryTableName'], Key: { pk: { S: 'client-registration-cap' }, sk: { S: 'slots' } } }),
  );
  table.destroy();
};
