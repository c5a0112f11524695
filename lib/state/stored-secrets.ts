import { CustomResource, Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { secretPartition } from '../../contract/deployment/keys.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { customResourceTimeout, LambdaFunction } from '../lambda/lambda-function.ts';
import { allowItems } from './allow-items.ts';
import type { Storage } from './imported-storage.ts';

export type StoredSecretsProps = { readonly storage: Storage; readonly code: LambdaCode };

/**
 * The random secrets of the deployment: the key of page tokens in the directory table, and in the mail table the secret
 * from which the VAPID key pair is derived, and the key of the marks of copies. A Lambda generates each of them once.
 * CloudFormation sees neither.
 */
export class StoredSecrets extends Construct {
  constructor(scope: Construct, id: string, { storage, code }: StoredSecretsProps) {
    super(scope, id);
    const hook = new LambdaFunction(this, 'Hook', {
      code,
      name: 'stored-secret',
      description: 'Stores the random secrets of the deployment when the stack is created',
      environment: { directoryTable: storage.directoryTable.tableName, mailTable: storage.mailTable.tableName },
      timeout: customResourceTimeout,
    });
    for (const table of [storage.directoryTable, storage.mailTable]) allowItems(hook, table, ['GetItem', 'PutItem'], secretPartition);
    const add = (constructId: string, name: string) =>
      new CustomResource(this, constructId, {
        resourceType: 'Custom::StoredSecret',
        serviceToken: hook.functionArn,
        serviceTimeout: Duration.minutes(2),
        properties: { name },
      });
    add('PageToken', 'page-token');
    add('Vapid', 'vapid');
    add('CopyMark', 'copy-mark');
  }
}
