import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { quotas } from '../contract/admin/change-request-quotas.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';
import { schedule } from './scheduled.ts';
import type { Storage } from './storage.ts';

export type ChangeRequestWorkerProps = { readonly storage: Storage; readonly code: LambdaCode };

/**
 * Brings change requests to SES and Service Quotas, and hears what became of them. A rule wakes it every few minutes; while no request has its turn it reads one
 * empty page of the directory and ends, which is less than a cent a month, and there is nothing that a crash could forget to wake.
 */
export class ChangeRequestWorker extends Construct {
  readonly worker: LambdaFunction;

  constructor(scope: Construct, id: string, { storage, code }: ChangeRequestWorkerProps) {
    super(scope, id);
    this.worker = new LambdaFunction(this, 'Worker', {
      code,
      name: 'change-request-worker',
      description: 'Moves change requests on by Amazon SES and Service Quotas',
      environment: { directoryTable: storage.directoryTable.tableName },
      memory: 256,
      timeout: Duration.minutes(5),
    });
    storage.grantReadDirectory(this.worker);
    storage.grantKeepDirectory(this.worker, 'change-request#*');
    storage.grantKeepAudit(this.worker);
    this.grantAskProviders(this.worker);
    schedule(this, 'EveryFiveMinutes', this.worker, { description: 'Wakes the worker of change requests', every: Duration.minutes(5), retryAttempts: 2 });
  }

  private grantAskProviders(grantee: IGrantable): void {
    const { grantPrincipal } = grantee;
    const stack = Stack.of(this);
    grantPrincipal.addToPrincipalPolicy(new PolicyStatement({
      actions: ['servicequotas:RequestServiceQuotaIncrease'],
      resources: Object.values(quotas).map(({ service_code: resource, quota_code: resourceName }) =>
        stack.formatArn({ service: 'servicequotas', resource, resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME })),
    }));
    // None of these actions knows resources.
    grantPrincipal.addToPrincipalPolicy(new PolicyStatement({
      actions: [
        'lambda:GetAccountSettings', 'ses:GetAccount', 'ses:PutAccountDetails',
        'servicequotas:GetRequestedServiceQuotaChange', 'servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota',
      ],
      resources: ['*'],
    }));
    // Service Quotas opens support cases by a role of its own, which the first request of an AWS account makes.
    grantPrincipal.addToPrincipalPolicy(new PolicyStatement({
      actions: ['iam:CreateServiceLinkedRole'],
      resources: [stack.formatArn({ service: 'iam', region: '', resource: 'role', resourceName: 'aws-service-role/servicequotas.amazonaws.com/AWSServiceRoleForServiceQuotas', arnFormat: ArnFormat.SLASH_RESOURCE_NAME })],
      conditions: { StringEquals: { 'iam:AWSServiceName': 'servicequotas.amazonaws.com' } },
    }));
  }
}
