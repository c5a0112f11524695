import { systemClock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { logFor } from '../platform/log.ts';
import { lambdaConcurrency } from '../providers/lambda-concurrency.ts';
import { serviceQuotas } from '../providers/service-quotas.ts';
import { sesSendingAccount } from '../providers/ses-sending-account.ts';
import { auditTrailIn } from '../store/directory/audit-log.ts';
import { changeRequestsIn } from '../store/directory/change-requests.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { changeRequestWorker } from './work.ts';

const directory = directoryTable();

/** On a schedule; what the event says does not matter. */
export const handler = changeRequestWorker({
  requests: changeRequestsIn(directory, { newId, clock: systemClock }),
  audit: { trail: auditTrailIn(directory), newId, clock: systemClock },
  sendingAccount: sesSendingAccount(),
  quotaProvider: serviceQuotas(),
  concurrency: lambdaConcurrency(),
  clock: systemClock,
  log: logFor('change-request-worker'),
});
