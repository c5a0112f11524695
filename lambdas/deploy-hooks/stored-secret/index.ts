import { GetFunctionConfigurationCommand, LambdaClient, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { customResource } from '../../../core/runtime/lambda/custom-resource.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { storeSecret, type FormerSecrets } from './store-secret.ts';

const lambda = new LambdaClient();
const secretsManager = new SecretsManagerClient();

const former: FormerSecrets = {
  async readVariable(FunctionName, variable) {
    try {
      const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      return Environment?.Variables?.[variable];
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  },
  async readSecret(SecretId) {
    const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId }));
    if (!SecretString) throw new Error('the former secret is empty');
    return SecretString;
  },
};

const tables = { 'page-token': dynamodbTable(setting('directoryTable')), vapid: dynamodbTable(setting('mailTable')) };

export const handler = customResource('stored-secret', storeSecret({ tableOf: (name) => tables[name], former }));
