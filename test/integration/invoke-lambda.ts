import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { deployed } from './deployment.ts';

/** Invokes a Lambda of the deployment, such as `identity-sync`, which must succeed. @returns its response. */
export const invokeLambda = async (name: string, event: object = {}): Promise<unknown> => {
  const lambda = new LambdaClient(awsClientConfig(deployed));
  const { FunctionError, Payload = [] } = await lambda.send(
    new InvokeCommand({ FunctionName: `${deployed.stackName}-${name}`, Payload: JSON.stringify(event) }),
  );
  lambda.destroy();
  const response = Buffer.from(Payload).toString();
  expect({ FunctionError, response: FunctionError && response }).toEqual({ FunctionError: undefined, response: undefined });
  return JSON.parse(response || 'null') as unknown;
};
