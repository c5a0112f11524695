import { CloudWatchClient, GetMetricDataCommand, PutMetricDataCommand, type MetricDatum } from '@aws-sdk/client-cloudwatch';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { Route53Client } from '@aws-sdk/client-route-53';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createAdminClient } from '../../../contract/client.ts';
import { awsClientConfig, emulatorCredentials } from '../../../sandbox/deployment/aws-target.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { deployed } from '../deployment.ts';
import { httpRequest } from '../http-requests.ts';

const config = awsClientConfig(deployed);

export const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
export const aws = {
  cloudWatch: new CloudWatchClient(config),
  cognito: new CognitoIdentityProviderClient(config),
  dynamodb: new DynamoDBClient(config),
  // A throttled call is not repeated: the tests throttle Lambdas.
  lambda: new LambdaClient({ ...config, maxAttempts: 1 }),
  route53: new Route53Client(config),
  ses: new SESv2Client({ endpoint: deployed.sesApiUrl, region: deployed.region, credentials: emulatorCredentials }),
  sqs: new SQSClient(config),
};
export const closeClients = (): void => Object.values(aws).forEach((client) => client.destroy());

/** The name of a Lambda in AWS. */
export const functionName = (name: string): string => `${deployed.stackName}-${name}`;

const dimensionList = (dimensions: Readonly<Record<string, string>>) => Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));

/** Publishes points of a metric, as AWS does. */
export const measure = async (
  namespace: string,
  metric: string,
  dimensions: Readonly<Record<string, string>>,
  ...points: readonly Pick<MetricDatum, 'Value' | 'Values' | 'Counts' | 'Timestamp'>[]
): Promise<void> => {
  await aws.cloudWatch.send(
    new PutMetricDataCommand({
      Namespace: namespace,
      MetricData: points.map((point) => ({ MetricName: metric, Timestamp: new Date(), ...point, Dimensions: dimensionList(dimensions) })),
    }),
  );
};

/** The number of points of a metric within the last two hours. */
export const pointsOf = async (Namespace: string, MetricName: string, dimensions: Readonly<Record<string, string>> = {}): Promise<number> => {
  const { MetricDataResults: [{ Values = [] } = {}] = [] } = await aws.cloudWatch.send(
    new GetMetricDataCommand({
      StartTime: new Date(Date.now() - 7_200_000),
      EndTime: new Date(Date.now() + 60_000),
      MetricDataQueries: [
        { Id: 'points', MetricStat: { Metric: { Namespace, MetricName, Dimensions: dimensionList(dimensions) }, Period: 60, Stat: 'SampleCount' } },
      ],
    }),
  );
  return Values.reduce((sum, value) => sum + value, 0);
};

/** Sets the concurrency of a Lambda to zero: AWS throttles every call of it. */
export const stopLambda = async (name: string): Promise<void> => {
  await aws.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName: functionName(name), ReservedConcurrentExecutions: 0 }));
};
export const resumeLambda = async (name: string): Promise<void> => {
  await aws.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: functionName(name) }));
};

/** Decides as AWS staff would, such as `review/GRANTED`. */
export const decideAtSes = async (path: string): Promise<void> => {
  expect((await httpRequest(`${deployed.sesApiUrl}/v2/email/account/${path}`, { method: 'POST' })).status).toBe(200);
};
