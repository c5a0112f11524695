import type { ChangeRequest, ChangeRequestEvent } from '../../../../contract/admin/change-requests.ts';
import { auditTrailIn } from '../../../../core/directory/audit-log.ts';
import { changeRequestsIn } from '../../../../core/directory/change-requests/change-requests.ts';
import { newId } from '../../../../core/runtime/ids.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { changeRequestWorker } from '../../../../lambdas/change-request-worker/change-request-worker.ts';
import { memoryLog } from '../../../fakes/memory-log.ts';
import { memoryQuotaProvider } from '../../../fakes/memory-quota-provider.ts';
import { memorySendingAccount } from '../../../fakes/memory-sending-account.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { perTest } from '../../../support/per-test.ts';

export const sesRequest = {
  type: 'SES_MAX_24H_SEND_INCREASE',
  ses_sending_limit: { use_case: 'Receipts', desired_max_24h_send: 100_000, contact_email: 'ops@example.test' },
};
export const lambdaRequest = {
  type: 'LAMBDA_CONCURRENCY_INCREASE',
  lambda_concurrency: { desired_account_limit: 1000, reason: 'Bursts of mail', contact_email: 'ops@example.test' },
};

/** The admin API with the worker on the same table. The clock advances only when a test advances it. */
export const changeRequestsDeployment = async (directory: Table = memoryTable()) => {
  let now = Date.parse('2026-11-21T08:00:00Z');
  const clock = () => new Date(now);
  const api = await adminApi({ directory, clock });
  const [sendingAccount, quotaProvider] = [memorySendingAccount(), memoryQuotaProvider(clock)];
  const limits = { account_limit: 10 };
  const workerOn = (table: Table) =>
    changeRequestWorker({
      requests: changeRequestsIn(table, { newId, clock }),
      audit: { trail: auditTrailIn(table), newId, clock },
      sendingAccount,
      quotaProvider,
      concurrency: { limits: async () => limits },
      clock,
      log: memoryLog(),
    });
  const run = workerOn(directory);
  const get = async (request_id: string) => (await api.ok('/change-requests/GetChangeRequest', { request_id }))['request'] as ChangeRequest;
  const events = async (request_id: string) =>
    (await api.ok('/change-requests/ListChangeRequestEvents', { request_id, page_size: 500 }))['events'] as ChangeRequestEvent[];
  return {
    ...api,
    sendingAccount,
    quotaProvider,
    limits,
    workerOn,
    run,
    get,
    events,
    clock,
    /** Advances the clock by milliseconds. */
    pass(time: number) {
      now += time;
    },
    /** Advances the clock by a day and runs the worker. */
    async later() {
      now += 86_400_000;
      await run();
    },
    async create(request: object): Promise<ChangeRequest> {
      return (await api.ok('/change-requests/CreateChangeRequest', request))['request'] as ChangeRequest;
    },
    cancel: (request_id: string, reason?: string) => api.call('/change-requests/CancelChangeRequest', { request_id, ...(reason !== undefined && { reason }) }),
    provide: (request_id: string, more: object) => api.call('/change-requests/ProvideChangeRequestInfo', { request_id, ...more }),
    kinds: async (request_id: string) => (await events(request_id)).map(({ kind }) => kind),
  };
};

export type Deployment = Awaited<ReturnType<typeof changeRequestsDeployment>>;

/** {@link changeRequestsDeployment}, created anew for each test. */
export const changeRequestsDeploymentPerTest = () => perTest(() => changeRequestsDeployment());
