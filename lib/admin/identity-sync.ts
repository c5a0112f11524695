import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import type { Storage } from '../state/storage.ts';

export type IdentitySyncProps = { readonly storage: Storage; readonly code: LambdaCode };

const syncTimeout = Duration.minutes(5);

/**
 * Updates the Identities of accounts when the transaction of an alias or a domain did not: for domains with many
 * addresses, for accounts from releases without Identities, and for all accounts once a day. A run without work reads
 * one page of the directory.
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
    storage.grantReadDirectory(sync);
    storage.grantCheckDirectory(sync);
    storage.grantWriteDirectory(sync, 'identity-task');
    storage.grantWriteIdentities(sync);
    schedule(this, 'EveryFiveMinutes', sync, {
      description: 'Brings Identities in step with domains', every: syncTimeout, retryAttempts: 0,
    });
  }
}
