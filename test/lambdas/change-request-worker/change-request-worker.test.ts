import type { QuotaRequestStatus } from '../../../core/aws/service-quotas-provider.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { failingTable } from '../../support/failing-table.ts';
import { changeRequestsDeployment, lambdaRequest, sesRequest, type Deployment } from '../admin/change-requests/change-requests-deployment.ts';

let service: Deployment;
beforeEach(async () => {
  service = await changeRequestsDeployment();
});

const quotaRequest = () => service.quotaProvider.requests.at(-1)!;
const withWebsite = { ...sesRequest, ses_sending_limit: { ...sesRequest.ses_sending_limit, website_url: 'https://example.test' } };

/** A request that was submitted to Service Quotas. */
const submitted = async (request: object = lambdaRequest) => {
  const { request_id } = await service.create(request);
  await service.run();
  return request_id;
};

test('the worker calls no provider while no request is open', async () => {
  await service.run();
  const { request_id } = await service.create(lambdaRequest);
  await service.cancel(request_id);
  await service.later();
  expect(service.quotaProvider.calls).toEqual({});
});

describe('the worker and Service Quotas', () => {
  test('requests the type’s quota, and stores the id with status SUBMITTED', async () => {
    const request_id = await submitted();
    expect(service.quotaProvider.requests).toEqual([expect.objectContaining({ quotaCode: 'L-B99A9384', requestedValue: 1000 })]);
    expect(await service.get(request_id)).toMatchObject({
      status: 'SUBMITTED',
      aws_reference: { service_quotas_request_id: quotaRequest().id, quota_code: 'L-B99A9384', requested_value: 1000 },
    });
  });

  test.each<[QuotaRequestStatus, string, string[]]>([
    ['PENDING', 'IN_PROGRESS', ['PROVIDER_UPDATED']],
    ['CASE_OPENED', 'WAITING_ON_PROVIDER', ['SUPPORT_CASE_OPENED']],
    ['APPROVED', 'SUCCEEDED', ['APPROVED', 'SUCCEEDED']],
    ['DENIED', 'REJECTED', ['REJECTED']],
    ['NOT_APPROVED', 'REJECTED', ['REJECTED']],
    ['CASE_CLOSED', 'ACTION_REQUIRED', ['ACTION_REQUIRED']],
    ['INVALID_REQUEST', 'ACTION_REQUIRED', ['ACTION_REQUIRED']],
  ])('turn %s into %s', async (answer, status, kinds) => {
    const request_id = await submitted();
    service.quotaProvider.decide(quotaRequest().id, answer);
    await service.later();
    expect(await service.get(request_id)).toMatchObject({ status });
    expect(await service.kinds(request_id)).toEqual(['CREATED', 'SUBMITTED', ...kinds]);
    await service.later();
    expect(await service.kinds(request_id)).toHaveLength(2 + kinds.length);
  });

  test('count a closed case as approved when the quota has the requested value', async () => {
    const request_id = await submitted();
    service.quotaProvider.decide(quotaRequest().id, 'CASE_CLOSED');
    service.limits.account_limit = 1000;
    await service.later();
    expect(await service.get(request_id)).toMatchObject({ status: 'SUCCEEDED', closed_at: service.clock().toISOString() });
  });

  test('end a request as SUCCEEDED when the quota is already high enough', async () => {
    service.limits.account_limit = 5000;
    expect(await service.get(await submitted())).toMatchObject({ status: 'SUCCEEDED' });
    expect(service.quotaProvider.requests).toEqual([]);
  });

  test('end a request as FAILED when Service Quotas no longer knows it', async () => {
    const request_id = await submitted();
    service.quotaProvider.findRequest = async () => undefined;
    await service.later();
    expect(await service.get(request_id)).toMatchObject({ status: 'FAILED', last_error: 'AWS Service Quotas does not know the request any more' });
  });

  test('request other values when Service Quotas refuses the request, and submit again', async () => {
    service.quotaProvider.failNext(
      Object.assign(new (await import('../../../core/aws/provider-errors.ts')).ProviderRefusal('Too high, write to ops@example.test')),
    );
    const request_id = await submitted();
    expect(await service.get(request_id)).toMatchObject({ status: 'ACTION_REQUIRED', last_error: 'AWS refused the request: Too high, write to (address)' });
    await service.provide(request_id, { lambda_concurrency: { desired_account_limit: 500 } });
    await service.run();
    expect(await service.get(request_id)).toMatchObject({ status: 'SUBMITTED', aws_reference: { requested_value: 500 } });
    expect(quotaRequest().requestedValue).toBe(500);
  });

  test('delay a second request for the quota until the first is decided', async () => {
    await submitted();
    const { request_id } = await service.create({
      ...lambdaRequest,
      lambda_concurrency: { ...lambdaRequest.lambda_concurrency, desired_account_limit: 2000 },
      conflict_behavior: 'ALLOW_DUPLICATE',
    });
    await service.run();
    expect(await service.get(request_id)).toMatchObject({ status: 'ACCEPTED', last_error: 'AWS has to decide on another request for this quota first' });
    service.quotaProvider.decide(quotaRequest().id, 'DENIED');
    await service.later();
    expect(await service.get(request_id)).toMatchObject({ status: 'SUBMITTED' });
    expect(await service.get(request_id)).not.toHaveProperty('last_error');
    expect(service.quotaProvider.requests.map(({ requestedValue }) => requestedValue)).toEqual([1000, 2000]);
  });
});

describe('the worker and Amazon SES', () => {
  test('request the quota only with production access', async () => {
    const request_id = await submitted(sesRequest);
    expect(service.sendingAccount.requestedAccess).toEqual([]);
    expect(service.quotaProvider.requests).toEqual([expect.objectContaining({ quotaCode: 'L-804C8AE8', requestedValue: 100_000 })]);
    expect(await service.get(request_id)).toMatchObject({ status: 'SUBMITTED' });
  });

  describe('without production access', () => {
    beforeEach(() => service.sendingAccount.setStatus({ hasProductionAccess: false, max24hSend: 200, maxSendRate: 1 }));

    test('request a website, then production access, and then the quota', async () => {
      const request_id = await submitted(sesRequest);
      expect(await service.get(request_id)).toMatchObject({ status: 'ACTION_REQUIRED', last_error: expect.stringContaining('ses_sending_limit.website_url') });
      await service.provide(request_id, { ses_sending_limit: { website_url: 'https://example.test' }, comment: { text: 'We send receipts.' } });
      await service.run();
      expect(service.sendingAccount.requestedAccess).toEqual([
        { websiteUrl: 'https://example.test', useCase: 'Receipts\n\nWe send receipts.', contactAddress: 'ops@example.test' },
      ]);
      await service.later();
      expect(await service.get(request_id)).toMatchObject({ status: 'IN_PROGRESS' });
      service.sendingAccount.setStatus({ hasProductionAccess: true, max24hSend: 50_000, maxSendRate: 14, review: { status: 'GRANTED' } });
      await service.later();
      expect(await service.get(request_id)).toMatchObject({ status: 'SUBMITTED', aws_reference: { service_quotas_request_id: quotaRequest().id } });
      service.quotaProvider.decide(quotaRequest().id, 'APPROVED');
      await service.later();
      expect(await service.kinds(request_id)).toEqual([
        'CREATED',
        'ACTION_REQUIRED',
        'USER_PROVIDED_INFO',
        'COMMENT',
        'SUBMITTED',
        'PROVIDER_UPDATED',
        'SUBMITTED',
        'APPROVED',
        'SUCCEEDED',
      ]);
    });

    test('end as SUCCEEDED when production access brings the requested limit', async () => {
      const request_id = await submitted(withWebsite);
      service.sendingAccount.setStatus({ hasProductionAccess: true, max24hSend: 100_000, maxSendRate: 14 });
      await service.later();
      expect(await service.get(request_id)).toMatchObject({ status: 'SUCCEEDED' });
      expect(service.quotaProvider.requests).toEqual([]);
    });

    test('request information after a denied review, and end as REJECTED when SES accepts no further request', async () => {
      const request_id = await submitted(withWebsite);
      service.sendingAccount.setStatus({ review: { status: 'DENIED', caseId: 'case-1' } });
      await service.later();
      expect(await service.get(request_id)).toMatchObject({ status: 'ACTION_REQUIRED' });
      service.sendingAccount.setStatus({ review: { status: 'PENDING', caseId: 'case-1' } });
      await service.later();
      expect(await service.get(request_id)).toMatchObject({ status: 'IN_PROGRESS' });
      service.sendingAccount.setStatus({ review: { status: 'DENIED', caseId: 'case-1' } });
      await service.later();
      await service.provide(request_id, { comment: { text: 'Please' } });
      await service.run();
      expect(await service.get(request_id)).toMatchObject({ status: 'REJECTED' });
      expect((await service.events(request_id)).at(-1)).toMatchObject({ kind: 'REJECTED', details: { support_case_id: 'case-1' } });
    });

    test('request production access again after a failed review', async () => {
      await submitted(withWebsite);
      service.sendingAccount.setStatus({ review: { status: 'FAILED' } });
      await service.later();
      expect(service.sendingAccount.requestedAccess).toHaveLength(2);
    });

    test('remove addresses from the events', async () => {
      const request_id = await submitted({ ...withWebsite, ses_sending_limit: { ...withWebsite.ses_sending_limit, website_url: 'https://example.test' } });
      service.sendingAccount.setStatus({ review: { status: 'DENIED' } });
      await service.later();
      await service.provide(request_id, {
        ses_sending_limit: { contact_email: 'second@example.test' },
        comment: { text: 'ask Öl@exämple.test or <second@example.test>, third+x@example.test.' },
      });
      await service.cancel(request_id, 'says ops@example.test');
      expect(JSON.stringify(await service.events(request_id))).not.toMatch(/@/);
    });
  });
});

describe('a provider that fails', () => {
  test('sets last_error, is called again after growing pauses, and clears last_error when it responds', async () => {
    const { request_id } = await service.create(lambdaRequest);
    service.quotaProvider.failNext(Object.assign(new Error('for ops@example.test'), { name: 'TooManyRequestsException' }));
    await service.run();
    expect(await service.get(request_id)).toMatchObject({
      status: 'ACCEPTED',
      last_error: 'AWS could not be asked (TooManyRequestsException); it is tried again',
    });
    service.pass(4 * 60_000);
    await service.run();
    expect(service.quotaProvider.requests).toEqual([]);
    service.pass(60_000);
    await service.run();
    expect(await service.get(request_id)).toMatchObject({ status: 'SUBMITTED' });
    expect(await service.get(request_id)).not.toHaveProperty('last_error');
  });

  test('ends the request as FAILED after a week', async () => {
    const { request_id } = await service.create(lambdaRequest);
    let runs = 0;
    for (; (await service.get(request_id)).status === 'ACCEPTED' && runs < 100; runs++) {
      service.quotaProvider.failNext(new Error('down'));
      await service.later();
    }
    expect(runs).toBe(32);
    expect(await service.get(request_id)).toMatchObject({ status: 'FAILED', closed_at: expect.any(String) });
  });

  test('does not delay other requests', async () => {
    const first = await service.create(sesRequest);
    service.pass(1000);
    const second = await service.create(lambdaRequest);
    service.sendingAccount.failNext(new Error('down'));
    await service.run();
    expect((await service.get(first.request_id)).status).toBe('ACCEPTED');
    expect((await service.get(second.request_id)).status).toBe('SUBMITTED');
  });
});

describe('submitting a change request', () => {
  test('finds an interrupted submission at the provider instead of submitting again', async () => {
    const { request_id } = await service.create(lambdaRequest);
    service.quotaProvider.failNext(new Error('the answer was lost'), 'after');
    await service.run();
    expect((await service.get(request_id)).status).toBe('ACCEPTED');
    service.quotaProvider.decide(quotaRequest().id, 'APPROVED');
    await service.later();
    expect(await service.get(request_id)).toMatchObject({ status: 'SUBMITTED', aws_reference: { service_quotas_request_id: quotaRequest().id } });
    expect(service.quotaProvider.calls['requestIncrease']).toBe(1);
  });

  test.each([
    [0, 'before'],
    [0, 'after'],
    [1, 'before'],
    [1, 'after'],
  ] as const)('submits once after a crash at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    service = await changeRequestsDeployment(directory);
    const { request_id } = await service.create(lambdaRequest);
    directory.crashAtWrite(write, when);
    await service.run().catch(() => undefined);
    directory.recover();
    await service.later();
    expect((await service.get(request_id)).status).toMatch(/SUBMITTED|IN_PROGRESS/);
    expect(service.quotaProvider.requests).toHaveLength(1);
    expect((await service.kinds(request_id)).slice(0, 2)).toEqual(['CREATED', 'SUBMITTED']);
  });

  test('reaches the provider once with ten concurrent workers', async () => {
    const { request_id } = await service.create(lambdaRequest);
    await Promise.all(Array.from({ length: 10 }, () => service.workerOn(service.directory)()));
    expect(service.quotaProvider.calls).toEqual({ requestIncrease: 1 });
    expect(await service.kinds(request_id)).toEqual(['CREATED', 'SUBMITTED']);
  });
});

describe('the audit log of the worker', () => {
  const worker = { actor_type: 'SYSTEM', actor_id: 'change-request-worker', service_name: 'change-request-worker' };
  const entries = async (operation = 'change-requests/AdvanceChangeRequest') =>
    (await service.ok('/audit/ListAuditLogs', { operation }))['audit_logs'] as (object & { actor: object })[];

  test('has every transition, newest first, with a SYSTEM actor', async () => {
    const request_id = await submitted();
    service.quotaProvider.decide(quotaRequest().id, 'CASE_OPENED');
    await service.later();
    service.quotaProvider.decide(quotaRequest().id, 'APPROVED');
    await service.later();
    const moved = (old_value: string, new_value: string) =>
      expect.objectContaining({
        actor: worker,
        status: 'success',
        entity_id: request_id,
        entity_name: 'LAMBDA_CONCURRENCY_INCREASE',
        changes: [{ field: 'status', old_value, new_value }],
      });
    expect(await entries()).toEqual([moved('WAITING_ON_PROVIDER', 'SUCCEEDED'), moved('SUBMITTED', 'WAITING_ON_PROVIDER'), moved('ACCEPTED', 'SUBMITTED')]);
    expect((await entries('change-requests/CreateChangeRequest')).map(({ actor }) => actor)).toEqual([expect.objectContaining({ actor_type: 'USER' })]);
    expect((await service.ok('/audit/ListActors', { actor_type: 'SYSTEM' }))['actors']).toEqual([worker]);
    expect((await service.ok('/audit/ListOperations'))['operations']).toContain('change-requests/AdvanceChangeRequest');
  });

  test('has no entry for an unchanged status, and no mail address', async () => {
    service.quotaProvider.failNext(
      Object.assign(new (await import('../../../core/aws/provider-errors.ts')).ProviderRefusal('Too high, write to ops@example.test')),
    );
    await submitted();
    await service.later();
    expect(await entries()).toMatchObject([
      { changes: [{ old_value: 'ACCEPTED', new_value: 'ACTION_REQUIRED' }], metadata: { message: 'AWS refused the request: Too high, write to (address)' } },
    ]);
    expect(JSON.stringify(await entries())).not.toContain('ops@');
  });

  test('has a transition if and only if it was made, whenever the worker crashes', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let write = 0; write < 6; write++) {
        const table = failingTable(memoryTable());
        service = await changeRequestsDeployment(table);
        const { request_id } = await service.create(lambdaRequest);
        table.crashAtWrite(write, when);
        await service
          .workerOn(table)()
          .catch(() => undefined);
        table.recover();
        const { status } = await service.get(request_id);
        expect((await entries()).map(({ actor }) => actor)).toEqual(status === 'ACCEPTED' ? [] : [worker]);
      }
    }
  });
});

describe('CancelChangeRequest during a submission', () => {
  test('keeps CANCELED, and the history says that the request reached the provider', async () => {
    const { request_id } = await service.create(lambdaRequest);
    const request = service.quotaProvider.requestIncrease.bind(service.quotaProvider);
    service.quotaProvider.requestIncrease = async (...wanted) => {
      const made = await request(...wanted);
      expect((await service.cancel(request_id)).status).toBe(200);
      return made;
    };
    await service.run();
    expect(await service.get(request_id)).toMatchObject({ status: 'CANCELED' });
    expect(await service.kinds(request_id)).toEqual(['CREATED', 'CANCELED', 'PROVIDER_UPDATED']);
    const { audit_logs: logs } = await service.ok('/audit/ListAuditLogs', { operation: 'change-requests/AdvanceChangeRequest' });
    expect(logs).toMatchObject([
      { actor: { actor_type: 'SYSTEM' }, entity_id: request_id, changes: [], metadata: { message: expect.stringContaining('canceled on its way') } },
    ]);
    await service.later();
    expect(service.quotaProvider.calls).toEqual({ requestIncrease: 1 });
  });

  test('has one outcome at any time', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { request_id } = await service.create(lambdaRequest);
      const cancel = async () => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        return service.cancel(request_id);
      };
      const [, answer] = await Promise.all([service.run(), cancel()]);
      expect(answer).toMatchObject({ status: 200, body: { request: { status: 'CANCELED' } } });
      expect(await service.get(request_id)).toMatchObject({ status: 'CANCELED' });
      expect((await service.kinds(request_id)).filter((kind) => kind === 'CANCELED')).toHaveLength(1);
      for (const { id, status } of service.quotaProvider.requests) if (status === 'PENDING') service.quotaProvider.decide(id, 'DENIED');
    }
  });
});
