import { Duration } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { accountPartitions, directoryPartitions } from '../../contract/deployment/keys.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import { allowAllItems, allowItems, ofAccounts, readActions, writeActions } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';

export type IdentitySyncProps = { readonly storage: Storage; readonly code: LambdaCode };

const syncTimeout = Duration.minutes(5);

/** Allows reading and writing Identities without the rest of the mail: with the heads of accounts, and log items. */
export const allowWritingIdentities = (grantee: IGrantable, mailTable: ITableV2): void => {
  const { log, identity } = accountPartitions;
  allowItems(grantee, mailTable, ['GetItem', 'UpdateItem'], ...ofAccounts(log));
  allowItems(grantee, mailTable, ['Query', 'DeleteItem'], ...ofAccounts(identity));
  allowItems(grantee, mailTable, ['PutItem'], ...ofAccounts(log, identity));
};

/**
 * Updates the Identities of accounts when the transaction of an alias or a domain did not: for domains with many
 * addresses, and for all accounts once a day. A run without work reads one page of the directory.
 */
export class IdentitySync extends Construct {
  constructor(scope: Construct, id: string, { storage, code }: IdentitySyncProps) {
    super(scope, id);
    const sync = new LambdaFunction(this, 'Sync', {
      code,
      name: 'identity-sync',
      description: 'Brings Identities in step with aliases and domains',
      environment: { directoryTable: storage.directoryTable.tableName, mailTable: storage.mailTable.tableName },
      memory: 256,
      timeout: syncTimeout,
    });
    allowAllItems(sync, storage.directoryTable, [...readActions, 'ConditionCheckItem']);
    allowItems(sync, storage.directoryTable, writeActions, directoryPartitions.identityTasks);
    allowWritingIdentities(sync, storage.mailTable);
    schedule(this, 'EveryFiveMinutes', sync, { description: 'Brings Identities in step with domains', every: syncTimeout, retryAttempts: 0 });
  }
}
