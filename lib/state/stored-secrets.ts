import { CustomResource, Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import type { Storage } from './storage.ts';

export type StoredSecretsProps = { readonly storage: Storage; readonly code: LambdaCode };

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
    const add = (constructId: string, name: string) => new CustomResource(this, constructId, {
      resourceType: 'Custom::StoredSecret',
      serviceToken: hook.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { name },
    });
    this.pageToken = add('PageToken', 'page-token');
    this.vapid = add('Vapid', 'vapid');
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
