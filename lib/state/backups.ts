import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { Storage } from './imported-storage.ts';

export type BackupsProps = {
  /** Days for which each backup is kept: the setting `backupDays`. */
  readonly days: number;
  readonly stored: Storage;
  readonly removalPolicy: 'retain' | 'destroy';
};

/**
 * A daily backup of the tables and the mail bucket in a vault of AWS Backup. It reaches further back than the 35 days
 * of the tables' recovery and of the bucket's versions, and it survives the loss of the tables or of the bucket.
 */
export class Backups extends Construct {
  constructor(scope: Construct, id: string, { days, stored, removalPolicy }: BackupsProps) {
    super(scope, id);
    const vault = new BackupVault(this, 'Vault', {
      backupVaultName: deploymentName(this),
      // A deployment that fails when it makes the vault takes it away again, so that the next one can make it.
      removalPolicy: removalPolicy === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: deploymentName(this),
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'daily',
          scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
          startWindow: Duration.hours(1),
          completionWindow: Duration.hours(12),
          deleteAfter: Duration.days(days),
        }),
      ],
    });
    const { directoryTable, mailTable, sendingTable, mailBucket } = stored;
    plan.addSelection('Selection', {
      role: this.createRole(),
      resources: [directoryTable, mailTable, sendingTable]
        .map(({ tableArn }) => BackupResource.fromArn(tableArn))
        .concat(BackupResource.fromArn(mailBucket.bucketArn)),
      disableDefaultBackupPolicy: true,
    });
  }

  /** Only AWS Backup can assume it. AWS keeps its policies in step with what the service calls. */
  private createRole(): Role {
    const policies = ['service-role/AWSBackupServiceRolePolicyForBackup', 'AWSBackupServiceRolePolicyForS3Backup'];
    return new Role(this, 'Role', {
      description: `Backs up the tables and the mail bucket of ${deploymentName(this)}`,
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: policies.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
    });
  }
}
