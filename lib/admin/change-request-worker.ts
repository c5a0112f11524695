import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { quotas } from '../../contract/admin/change-requests.ts';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import { allowAllItems, allowAuditEntries, allowItems, each, readActions, writeActions } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';

export type ChangeRequestWorkerProps = { readonly storage: Storage; readonly code: LambdaCode };

/**
 * Submits change requests to SES and Service Quotas and reads their outcome. An EventBridge rule invokes it every five
 * minutes, so that a crash cannot leave a request unattended. While no request is due, a run reads one empty page of
 * the directory; that costs less than a cent a month.
 */
export class ChangeRequestWorker extends Construct {
  readonly worker: LambdaFunction;

  constructor(scope: Construct, id: string, { storage, code }: ChangeRequestWorkerProps) {
    super(scope, id);
    this.worker = new LambdaFunction(this, 'Worker', {
      code,
      name: 'change-request-worker',
      description: 'Submits change requests to Amazon SES and Service Quotas and reads their outcome',
      environment: { directoryTable: storage.directoryTable.tableName },
      memory: 256,
      timeout: Duration.minutes(5),
    });
    allowAllItems(this.worker, storage.directoryTable, readActions);
    allowItems(this.worker, storage.directoryTable, writeActions, each(directoryPartitions.changeRequests));
    allowAuditEntries(this.worker, storage.directoryTable);
    this.grantProviderCalls(this.worker);
    schedule(this, 'EveryFiveMinutes', this.worker, { description: 'Invokes the worker of change requests', every: Duration.minutes(5), retryAttempts: 2 });
  }

  private grantProviderCalls(grantee: IGrantable): void {
    const stack = Stack.of(this);
    const arnFormat = ArnFormat.SLASH_RESOURCE_NAME;
    allowActions(grantee, {
      actions: ['servicequotas:RequestServiceQuotaIncrease'],
      resources: Object.values(quotas).map(({ service_code: resource, quota_code: resourceName }) =>
        stack.formatArn({ service: 'servicequotas', resource, resourceName, arnFormat }),
      ),
    });
    // These actions have no resources.
    allowActions(grantee, {
      actions: [
        'lambda:GetAccountSettings',
        'ses:GetAccount',
        'ses:PutAccountDetails',
        'servicequotas:GetRequestedServiceQuotaChange',
        'servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota',
      ],
      resources: ['*'],
    });
    // Service Quotas opens support cases with a service-linked role, which the first request of an AWS account creates.
    const roleName = 'aws-service-role/servicequotas.amazonaws.com/AWSServiceRoleForServiceQuotas';
    allowActions(grantee, {
      actions: ['iam:CreateServiceLinkedRole'],
      resources: [stack.formatArn({ service: 'iam', region: '', resource: 'role', resourceName: roleName, arnFormat })],
      conditions: { StringEquals: { 'iam:AWSServiceName': 'servicequotas.amazonaws.com' } },
    });
  }
}
