import { lambdaConcurrency } from '../../core/aws/lambda-concurrency.ts';
import { serviceQuotasProvider } from '../../core/aws/service-quotas-provider.ts';
import { sesSendingAccount } from '../../core/aws/ses/ses-sending-account.ts';
import { auditTrailIn } from '../../core/directory/audit-log.ts';
import { changeRequestsIn } from '../../core/directory/change-requests/change-requests.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { newId } from '../../core/runtime/ids.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { changeRequestWorker } from './change-request-worker.ts';

const directory = dynamodbTable(setting('directoryTable'));

/** Runs on a schedule; the event is ignored. */
export const handler = invoked(
  changeRequestWorker({
    requests: changeRequestsIn(directory, { newId, clock: systemClock }),
    audit: { trail: auditTrailIn(directory), newId, clock: systemClock },
    sendingAccount: sesSendingAccount(),
    quotaProvider: serviceQuotasProvider(),
    concurrency: lambdaConcurrency(),
    clock: systemClock,
    log: logFor('change-request-worker'),
  }),
);
