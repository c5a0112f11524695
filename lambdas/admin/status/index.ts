import { status } from '../../../contract/admin/status.ts';
import { cloudWatchMetrics } from '../../../core/aws/cloudwatch/cloudwatch-metrics.ts';
import { lambdaConcurrency } from '../../../core/aws/service-quotas/lambda-concurrency.ts';
import { sesEmailProvider } from '../../../core/aws/ses/identities/ses-email-provider.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { region, setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { statusService } from './status-service.ts';

const connections = adminDependencies(status.name, dynamodbTable(setting('directoryTable')));

/** Also handles requests that match no route: after the gate, they are not_found. */
export const handler = serve(status, statusService({
  emailProvider: sesEmailProvider(),
  concurrency: lambdaConcurrency(),
  metrics: cloudWatchMetrics(),
  clock: systemClock,
  region: region(),
  log: connections.log,
}), connections);
