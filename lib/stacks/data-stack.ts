import type { Construct } from 'constructs';
import type { DeploymentContext } from '../deployment-context.ts';
import { DeploymentStack } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { SharedValues } from '../lambda/shared-values.ts';
import { DeployedClients } from '../sign-in/deployed-clients.ts';
import { HeadlessClients } from '../sign-in/headless-clients.ts';
import { UserPool } from '../sign-in/user-pool.ts';
import { Backups } from '../state/backups.ts';
import { Prerequisites } from '../state/prerequisites.ts';
import { RestoredTables } from '../state/restored-tables.ts';
import { StoredSecrets } from '../state/stored-secrets.ts';
import { TablesAndBucket } from '../state/tables-and-bucket.ts';

export type DataStackProps = { readonly context: DeploymentContext; readonly code: LambdaCode };

/**
 * Everything that must outlive changes of the services: the tables, the mail bucket, the user pool with its token
 * trigger, the headless clients and the secrets.
 */
export class DataStack extends DeploymentStack {
  constructor(scope: Construct, id: string, { context, code }: DataStackProps) {
    super(scope, id, {
      deployment: context.stackName,
      description: `Postrider: the data of ${context.domain}`,
      terminationProtection: context.removalPolicy === 'retain',
    });
    const prerequisites = new Prerequisites(this, 'Prerequisites', { context, code });
    const stored = new TablesAndBucket(this, 'Storage', { removalPolicy: context.removalPolicy, code });
    const storage = new RestoredTables(this, 'Restored', stored);
    const backups =
      context.backupDays === undefined
        ? []
        : [new Backups(this, 'Backups', { days: context.backupDays, stored: storage, removalPolicy: context.removalPolicy })];
    const secrets = new StoredSecrets(this, 'StoredSecrets', { storage, code });
    const deployedClients = new DeployedClients(this, 'DeployedClients', { storage, code });
    const userPool = new UserPool(this, 'UserPool', { context, storage, deployedClients, code });
    const headlessClients = new HeadlessClients(this, 'HeadlessClients', { clients: context.headlessClients, userPool, code });
    prerequisites.precede(stored, ...backups, secrets, deployedClients, userPool, headlessClients);
    new SharedValues(this, 'Shared', {
      ...storage.sharedValues,
      mailBucketName: stored.mailBucket.bucketName,
      userPoolId: userPool.pool.userPoolId,
      deployedClientsHookArn: deployedClients.hookArn,
      ...Object.fromEntries(
        headlessClients.provisioned.flatMap(({ name, clientId, secretArn }) => [
          [`${name}ClientId`, clientId],
          [`${name}ClientSecret`, secretArn],
        ]),
      ),
    });
  }
}
