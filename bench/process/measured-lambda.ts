import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { environment } from '../../contract/deployment/environment.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { dynamodbClient, sdkCalls } from '../../core/storage/dynamodb/dynamodb-client.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { anySettings } from '../cpu/cold-start.ts';
import { accountId, addAlice } from '../fixtures/alice.ts';
import { fillMailbox } from '../fixtures/generated-mailbox.ts';
import { startLambdaProcess, type LambdaProcess } from './lambda-process.ts';
import { userPoolId } from './local-identity-provider.ts';

/** The endpoints of AWS for the Lambda. */
type LocalCloud = { readonly dynamodb: string; readonly bucket: string; readonly identityProvider: string };

const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const region = 'us-east-1';

/** Creates the tables of one Lambda, with an account of this many messages. @param name the prefix of the tables. */
export const createTables = async (endpoint: string, name: string, messages: number): Promise<void> => {
  const settings = { endpoint, region, credentials };
  const client = new DynamoDBClient(settings);
  for (const table of ['Directory', 'Mail']) {
    await client.send(
      new CreateTableCommand({
        TableName: `${name}${table}`,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    );
  }
  client.destroy();
  const tables = dynamodbClient(settings);
  await addAlice(dynamodbTable(`${name}Directory`, sdkCalls(tables)));
  const mail = dynamodbTable(`${name}Mail`, sdkCalls(tables));
  await mailStore({ table: mail }).createAccount(accountId);
  await fillMailbox(mail, accountId, messages);
  tables.destroy();
};

/** The variables of the deployed Lambda, with AWS on this machine. */
const lambdaEnvironment = (cloud: LocalCloud, name: string): Record<string, string> => ({
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_ENDPOINT_URL_DYNAMODB: cloud.dynamodb,
  AWS_ENDPOINT_URL_S3: cloud.bucket,
  AWS_LAMBDA_FUNCTION_NAME: 'postrider-jmap',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  NODE_OPTIONS: '--enable-source-maps',
  ...anySettings(),
  [environment.directoryTable]: `${name}Directory`,
  [environment.mailTable]: `${name}Mail`,
  [environment.mailBucket]: 'mail-bucket',
  [environment.userPoolId]: userPoolId,
  [environment.identityProviderUrl]: cloud.identityProvider,
});

/** Options of Node.js that write a profile of the CPU into the folder when the process ends. */
const profilesTo = (folder: string): readonly string[] => ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'];

/** Starts a fresh process with the jmap bundle. @param bundle the folder of the bundle's `index.js`. */
export const startMeasuredLambda = async ({
  cloud,
  bundle,
  tables,
  port,
  profiles,
}: {
  readonly cloud: LocalCloud;
  readonly bundle: string;
  readonly tables: string;
  readonly port: number;
  readonly profiles?: string | undefined;
}): Promise<LambdaProcess> => {
  // Copied to a directory without a package.json, because the project's says that its modules are ES modules.
  const directory = mkdtempSync(join(tmpdir(), 'postrider-bench-'));
  const file = join(directory, 'index.js');
  copyFileSync(join(bundle, 'index.js'), file);
  copyFileSync(join(bundle, 'index.js.map'), `${file}.map`);
  const lambda = await startLambdaProcess({
    file,
    port,
    environment: lambdaEnvironment(cloud, tables),
    nodeOptions: profiles === undefined ? [] : profilesTo(profiles),
  });
  return {
    ...lambda,
    async stop() {
      await lambda.stop();
      rmSync(directory, { recursive: true });
    },
  };
};

/** CPU milliseconds of the runtime itself: an invocation of a handler that does nothing. */
export const emptyInvocationCpu = async (port: number, event: object): Promise<number> => {
  const directory = mkdtempSync(join(tmpdir(), 'postrider-bench-'));
  const file = join(directory, 'index.js');
  writeFileSync(file, 'exports.handler = async () => ({ statusCode: 200 });');
  const lambda = await startLambdaProcess({ file, port, environment: {} });
  try {
    const figures: number[] = [];
    for (let batch = 0; batch < 30; batch++) {
      let cpu = 0;
      for (let i = 0; i < 50; i++) cpu += (await lambda.invoke(event)).cpu;
      figures.push(cpu / 50);
    }
    return Math.min(...figures);
  } finally {
    await lambda.stop();
    rmSync(directory, { recursive: true });
  }
};
