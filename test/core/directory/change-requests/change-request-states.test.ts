import * as fc from 'fast-check';
import { ChangeRequestEventKind, type ChangeRequestStatus } from '../../../../contract/admin/change-requests.ts';
import type { QuotaRequestStatus } from '../../../../core/aws/service-quotas-provider.ts';
import {
  changeRequestStatuses,
  isOpen,
  transitionOf,
  openStatuses,
  type ChangeRequestOccurrence,
} from '../../../../core/directory/change-requests/change-request-states.ts';
import { changeRequestsDeployment, lambdaRequest } from '../../../lambdas/admin/change-requests/change-requests-deployment.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const occurrences: readonly ChangeRequestOccurrence[] = [
  'submitted',
  'reviewing',
  'case-opened',
  'needs-information',
  'information-given',
  'approved',
  'fulfilled',
  'rejected',
  'failed',
  'canceled',
  'reached-provider',
];
const over: readonly ChangeRequestStatus[] = ['SUCCEEDED', 'REJECTED', 'FAILED', 'CANCELED'];

describe('the transitions of change requests', () => {
  test('the last four statuses are final, the others are open', () => {
    expect([...openStatuses].sort()).toEqual(changeRequestStatuses.filter((status) => !over.includes(status)).sort());
  });

  test('no transition leads out of a final status to an open one', () => {
    for (const status of over) for (const occurrence of occurrences) expect(transitionOf(status, occurrence)?.to ?? status).toBe(status);
  });

  test('information-given applies in ACTION_REQUIRED only, and leads to SUBMITTED', () => {
    for (const status of changeRequestStatuses) {
      expect(transitionOf(status, 'information-given')).toEqual(status === 'ACTION_REQUIRED' ? { to: 'SUBMITTED', kinds: ['USER_PROVIDED_INFO'] } : undefined);
    }
  });

  test.each(openStatuses)('%s can be canceled, fulfilled, rejected and failed, each with an event', (status) => {
    expect(transitionOf(status, 'canceled')).toEqual({ to: 'CANCELED', kinds: ['CANCELED'] });
    expect(over.filter((end) => occurrences.some((occurrence) => transitionOf(status, occurrence)?.to === end))).toEqual(over);
    for (const occurrence of occurrences) expect(transitionOf(status, occurrence)?.kinds.length).not.toBe(0);
  });

  test('every status is reached from ACCEPTED', () => {
    const reached = new Set<ChangeRequestStatus>(['ACCEPTED']);
    for (const status of reached) for (const occurrence of occurrences) reached.add(transitionOf(status, occurrence)?.to ?? status);
    expect([...reached].sort()).toEqual([...changeRequestStatuses].sort());
  });
});

/** The status at the end of a history, by the last event that sets one. */
const statusAfter: { readonly [Kind in string]?: ChangeRequestStatus } = {
  CREATED: 'ACCEPTED',
  SUBMITTED: 'SUBMITTED',
  PROVIDER_UPDATED: 'IN_PROGRESS',
  SUPPORT_CASE_OPENED: 'WAITING_ON_PROVIDER',
  ACTION_REQUIRED: 'ACTION_REQUIRED',
  USER_PROVIDED_INFO: 'SUBMITTED',
  SUCCEEDED: 'SUCCEEDED',
  REJECTED: 'REJECTED',
  FAILED: 'FAILED',
  CANCELED: 'CANCELED',
};

type Step =
  | 'create'
  | 'duplicate'
  | 'cancel'
  | 'provide'
  | 'run'
  | 'two workers'
  | 'fault before'
  | 'fault after'
  | 'cancel while working'
  | QuotaRequestStatus;
const steps: readonly Step[] = [
  'create',
  'duplicate',
  'cancel',
  'provide',
  'run',
  'two workers',
  'fault before',
  'fault after',
  'cancel while working',
  'PENDING',
  'CASE_OPENED',
  'APPROVED',
  'DENIED',
  'CASE_CLOSED',
  'INVALID_REQUEST',
];

test('lists, histories, statuses and open counts match after any sequence of actions by admins, workers and AWS', async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 25 }), async (taken) => {
      const service = await changeRequestsDeployment();
      const histories = new Map<string, string>();
      const newest = async () =>
        ((await service.ok('/change-requests/ListChangeRequests', {}))['requests'] as { request_id: string }[])[0]?.request_id ?? 'cr_none';
      const failOnce = (when: 'before' | 'after') => {
        service.quotaProvider.failNext(new Error('down'), when);
        return service.run();
      };
      const decided = (status: QuotaRequestStatus) => async () => {
        const asked = service.quotaProvider.requests.at(-1);
        if (asked) service.quotaProvider.decide(asked.id, status);
      };
      const doing: { readonly [S in Step]: () => Promise<unknown> } = {
        create: () => service.create(lambdaRequest),
        duplicate: () => service.create({ ...lambdaRequest, conflict_behavior: 'ALLOW_DUPLICATE' }),
        cancel: async () => service.cancel(await newest()),
        provide: async () => service.provide(await newest(), { comment: { text: 'more' } }),
        run: service.run,
        'two workers': () => Promise.all([service.run(), service.workerOn(service.directory)()]),
        'fault before': () => failOnce('before'),
        'fault after': () => failOnce('after'),
        'cancel while working': async () => Promise.all([service.run(), service.cancel(await newest())]),
        PENDING: decided('PENDING'),
        CASE_OPENED: decided('CASE_OPENED'),
        APPROVED: decided('APPROVED'),
        DENIED: decided('DENIED'),
        NOT_APPROVED: decided('NOT_APPROVED'),
        CASE_CLOSED: decided('CASE_CLOSED'),
        INVALID_REQUEST: decided('INVALID_REQUEST'),
      };
      for (const step of taken) {
        service.pass(86_400_000);
        await doing[step]();
      }
      const all = (await service.ok('/change-requests/ListChangeRequests', { page_size: 200 }))['requests'] as {
        request_id: string;
        status: ChangeRequestStatus;
        closed_at?: string;
      }[];
      for (const { request_id, status, closed_at } of all) {
        const events = await service.events(request_id);
        const kinds = events.map(({ kind }) => kind);
        for (const kind of kinds) expect(ChangeRequestEventKind.safeParse(kind).success).toBe(true);
        expect(kinds.filter((kind) => over.includes(kind as ChangeRequestStatus)).length).toBe(isOpen(status) ? 0 : 1);
        const saying = status === 'CANCELED' ? kinds.filter((kind) => kind === 'CANCELED') : kinds.filter((kind) => statusAfter[kind]);
        expect(statusAfter[saying.at(-1)!]).toBe(status);
        expect(closed_at !== undefined).toBe(!isOpen(status));
        histories.set(request_id, JSON.stringify(events));
        expect((await service.get(request_id)).status).toBe(status);
      }
      for (const status of changeRequestStatuses) {
        const listed = (await service.ok('/change-requests/ListChangeRequests', { page_size: 200, status: [status] }))['requests'] as { request_id: string }[];
        expect(listed.map(({ request_id }) => request_id)).toEqual(all.filter((one) => one.status === status).map(({ request_id }) => request_id));
      }
      const open = all.filter(({ status }) => isOpen(status));
      expect((await service.directory.get({ pk: 'change-request#open', sk: 'LAMBDA_CONCURRENCY_INCREASE' }))?.['count'] ?? 0).toBe(open.length);
      // Requests that wait for the worker are open, and AWS was asked for nothing twice at once.
      const due = await service.directory.query({ pk: 'change-request#due' });
      expect(due.every(({ request_id: id }) => open.some(({ request_id }) => request_id === id))).toBe(true);
      // Events are only added.
      await service.run();
      for (const [id, before] of histories) expect(JSON.stringify(await service.events(id)).startsWith(before.slice(0, -1))).toBe(true);
      const again = await service.ok('/change-requests/CreateChangeRequest', lambdaRequest);
      expect(typeof again['reused_existing_open']).toBe('boolean');
    }),
    { numRuns: 100 },
  );
});
