import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { nameInStack } from '../contract/monitored-resources.ts';
import { allowActions } from './allow-actions.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';
import type { Storage } from './storage.ts';

export type StoredSecretsProps = { readonly storage: Storage; readonly code: LambdaCode };

/**
 * The logical id of the secret of Web Push in releases that had it in Secrets Manager. CloudFormation begins the name
 * of a secret with it.
 */
const formerVapidSecret = 'JmapApiVapidSecret';

/**
 * The two random secrets of the deployment: the key of page tokens in the directory table, and the secret from which
 * the VAPID key pair is derived in the mail table. A Lambda makes each when the stack is created. CloudFormation sees
 * neither.
 */
export class StoredSecrets extends Construct {
  private readonly pageToken: CustomResource;
  private readonly vapid: CustomResource;
  private readonly storage: Storage;

  constructor(scope: Construct, id: string, { storage, code }: StoredSecretsProps) {
    super(scope, id);
    this.storage = storage;
    const hook = new LambdaFunction(this, 'Hook', {
      code,
      name: 'stored-secret',
      description: 'Stores the random secrets of the deployment when the stack is created',
      environment: { directoryTable: storage.directoryTable.tableName, mailTable: storage.mailTable.tableName },
      timeout: Duration.minutes(1),
    });
    storage.grantStoreSecrets(hook);
    const stack = Stack.of(this);
    const webPush = nameInStack(stack.stackName, 'web-push');
    allowActions(hook, {
      actions: ['lambda:GetFunctionConfiguration'],
      resources: [`arn:${stack.partition}:lambda:${stack.region}:${stack.account}:function:${webPush}`],
    });
    allowActions(hook, {
      actions: ['secretsmanager:GetSecretValue'],
      resources: [`arn:${stack.partition}:secretsmanager:${stack.region}:${stack.account}:secret:${formerVapidSecret}*`],
    });
    const add = (constructId: string, properties: Record<string, string>) => new CustomResource(this, constructId, {
      resourceType: 'Custom::StoredSecret',
      serviceToken: hook.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties,
    });
    this.pageToken = add('PageToken', { name: 'page-token' });
    this.vapid = add('Vapid', { name: 'vapid', formerFunction: webPush, formerVariable: 'VAPID_SECRET_ARN' });
  }

  /** The Lambda can read the directory table already, and is deployed once the secret exists. */
  provePageTokens(lambda: LambdaFunction): void {
    lambda.node.addDependency(this.pageToken);
  }

  /** Allows reading the secret of the VAPID key pair. The Lambda is deployed once the secret exists. */
  grantReadVapid(lambda: LambdaFunction): void {
    this.storage.grantReadVapidSecret(lambda);
    lambda.node.addDependency(this.vapid);
  }
}
