import { status } from '../../../contract/admin/status.ts';
import { cloudWatchMetrics } from '../../../core/aws/cloudwatch/cloudwatch-metrics.ts';
import { lambdaConcurrency } from '../../../core/aws/lambda-concurrency.ts';
import { sesEmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import { problemSubscribersIn } from '../../../core/directory/problems/problem-subscribers.ts';
import { problemsIn } from '../../../core/directory/problems/problems.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { optionalSetting, region, setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { statusService } from './status-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const connections = adminDependencies(status.name, directory);

/** The Lambda of /status. It also handles requests that match no route: after the gate, their error is not_found. */
export const handler = invoked(
  serve(
    status,
    statusService({
      emailProvider: sesEmailProvider(),
      concurrency: lambdaConcurrency(),
      metrics: cloudWatchMetrics(),
      problems: problemsIn(directory),
      subscribers: problemSubscribersIn(directory),
      hasAlarmEmail: optionalSetting('hasAlarmEmail') === 'true',
      clock: systemClock,
      region: region(),
      log: connections.log,
    }),
    connections,
  ),
);
