import { idempotencyKeyDays } from '../../../../contract/admin/change-requests.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { changeRequestsDeployment, lambdaRequest, sesRequest, type Deployment } from './change-requests-deployment.ts';

let service: Deployment;
beforeEach(async () => {
  service = await changeRequestsDeployment();
});

const create = (request: object) => service.call('/change-requests/CreateChangeRequest', request);

const list = async (request: object) =>
  (await service.ok('/change-requests/ListChangeRequests', request)) as {
    requests: { request_id: string; status: string; type: string }[];
    next_page_token: string;
  };

describe('CreateChangeRequest', () => {
  test('creates a request in ACCEPTED with its summary and AWS reference', async () => {
    const answer = await service.ok('/change-requests/CreateChangeRequest', sesRequest);
    expect(answer).toEqual({
      reused_existing_open: false,
      request: {
        request_id: expect.stringMatching(/^cr_[A-Za-z0-9_-]{21}$/),
        type: 'SES_MAX_24H_SEND_INCREASE',
        status: 'ACCEPTED',
        created_at: '2026-11-21T08:00:00.000Z',
        updated_at: '2026-11-21T08:00:00.000Z',
        summary: '100000 mails in 24 hours through Amazon SES',
        ses_sending_limit: sesRequest.ses_sending_limit,
        aws_reference: {
          region: 'us-east-1',
          service_code: 'ses',
          quota_code: 'L-804C8AE8',
          quota_name: 'Sending quota',
          requested_value: 100_000,
          console_url: 'https://us-east-1.console.aws.amazon.com/servicequotas/home/services/ses/quotas/L-804C8AE8',
        },
      },
    });
    const { request_id } = answer['request'] as { request_id: string };
    expect(await service.get(request_id)).toEqual(answer['request']);
    expect(await service.events(request_id)).toEqual([
      {
        event_id: expect.stringMatching(/^cre_[A-Za-z0-9_-]{21}$/),
        request_id,
        at: '2026-11-21T08:00:00.000Z',
        kind: 'CREATED',
        message: '100000 mails in 24 hours through Amazon SES',
        details: {},
      },
    ]);
  });

  test.each([
    [{ type: 'SES_MAX_24H_SEND_INCREASE' }, 'ses_sending_limit is required'],
    [{ type: 'SES_MAX_SEND_RATE_INCREASE' }, 'ses_sending_limit is required'],
    [{ type: 'LAMBDA_CONCURRENCY_INCREASE' }, 'lambda_concurrency is required'],
    [{ type: 'SES_MAX_24H_SEND_INCREASE', ses_sending_limit: {} }, 'ses_sending_limit.use_case is required'],
    [
      { type: 'SES_MAX_24H_SEND_INCREASE', ses_sending_limit: { use_case: 'Receipts', desired_max_send_rate_per_second: 9 } },
      'ses_sending_limit.desired_max_24h_send is required',
    ],
    [
      { type: 'SES_MAX_SEND_RATE_INCREASE', ses_sending_limit: { use_case: 'Receipts', desired_max_24h_send: 9 } },
      'ses_sending_limit.desired_max_send_rate_per_second is required',
    ],
    [{ type: 'LAMBDA_CONCURRENCY_INCREASE', lambda_concurrency: { reason: 'Bursts' } }, 'lambda_concurrency.desired_account_limit is required'],
    [{ type: 'LAMBDA_CONCURRENCY_INCREASE', lambda_concurrency: { desired_account_limit: 50 } }, 'lambda_concurrency.reason is required'],
  ])('refuses a request that does not say what to ask AWS for with invalid_argument, and stores nothing: %j', async (request, message) => {
    for (const more of [{}, { idempotency_key: 'one' }, { conflict_behavior: 'ALLOW_DUPLICATE' }]) {
      expect(await create({ ...request, ...more })).toMatchObject({ status: 400, body: { code: 'invalid_argument', message } });
    }
    expect((await list({})).requests).toEqual([]);
    await service.run();
    expect(service.quotaProvider.requests).toEqual([]);
  });

  test('refuses an incomplete request while another of its type is open', async () => {
    await service.create(sesRequest);
    expect(await create({ type: sesRequest.type })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });

  test.each([
    { ...sesRequest, lambda_concurrency: lambdaRequest.lambda_concurrency },
    { type: 'LAMBDA_CONCURRENCY_INCREASE', ses_sending_limit: sesRequest.ses_sending_limit },
  ])('refuses the payload of another type with invalid_argument', async (request) => {
    expect(await create(request)).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect((await list({})).requests).toEqual([]);
  });

  describe('while a request of the same type is open', () => {
    test('returns the open request under RETURN_EXISTING_OPEN, the default', async () => {
      const open = await service.create(sesRequest);
      await service.run();
      const answer = await service.ok('/change-requests/CreateChangeRequest', {
        ...sesRequest,
        ses_sending_limit: { use_case: 'Other', desired_max_24h_send: 1 },
      });
      expect(answer).toEqual({ request: await service.get(open.request_id), reused_existing_open: true });
      expect(answer['request']).toMatchObject({ request_id: open.request_id, status: 'SUBMITTED' });
      expect(await service.ok('/change-requests/CreateChangeRequest', { ...lambdaRequest, conflict_behavior: 'RETURN_EXISTING_OPEN' })).toMatchObject({
        reused_existing_open: false,
      });
    });

    test('refuses under FAIL_IF_OPEN with already_exists', async () => {
      await service.create(sesRequest);
      expect(await create({ ...sesRequest, conflict_behavior: 'FAIL_IF_OPEN' })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
      expect((await list({})).requests).toHaveLength(1);
    });

    test('creates another under ALLOW_DUPLICATE, and later returns the newest open one', async () => {
      const first = await service.create(sesRequest);
      service.pass(1000);
      const second = await service.ok('/change-requests/CreateChangeRequest', { ...sesRequest, conflict_behavior: 'ALLOW_DUPLICATE' });
      expect(second).toMatchObject({ reused_existing_open: false });
      expect((await service.create(sesRequest)).request_id).toBe((second['request'] as { request_id: string }).request_id);
      await service.cancel((second['request'] as { request_id: string }).request_id);
      expect((await service.create(sesRequest)).request_id).toBe(first.request_id);
    });
  });

  test('creates a new request under every conflict_behavior when the earlier one has ended', async () => {
    for (const conflict_behavior of ['RETURN_EXISTING_OPEN', 'FAIL_IF_OPEN', 'ALLOW_DUPLICATE']) {
      const answer = await service.ok('/change-requests/CreateChangeRequest', { ...sesRequest, conflict_behavior });
      expect(answer['reused_existing_open']).toBe(false);
      await service.cancel((answer['request'] as { request_id: string }).request_id);
    }
    expect((await list({})).requests).toHaveLength(3);
  });

  test.each(['RETURN_EXISTING_OPEN', 'FAIL_IF_OPEN'])('creates one request in twenty calls at once under %s', async (conflict_behavior) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ ...sesRequest, conflict_behavior })));
    expect((await list({})).requests).toHaveLength(1);
    const { request_id } = (await list({})).requests[0]!;
    const made = answers.filter(({ status, body }) => status === 200 && body['reused_existing_open'] === false);
    expect(made).toHaveLength(1);
    for (const answer of answers.filter((one) => one !== made[0])) {
      expect(answer).toMatchObject(
        conflict_behavior === 'FAIL_IF_OPEN'
          ? { status: 409, body: { code: 'already_exists' } }
          : { status: 200, body: { reused_existing_open: true, request: { request_id } } },
      );
    }
  });
});

describe('CreateChangeRequest with an idempotency_key', () => {
  const keyed = { ...sesRequest, idempotency_key: 'one', conflict_behavior: 'ALLOW_DUPLICATE' };

  test('returns the same request again, also when it has ended', async () => {
    const first = await service.ok('/change-requests/CreateChangeRequest', keyed);
    const { request_id } = first['request'] as { request_id: string };
    expect(await service.ok('/change-requests/CreateChangeRequest', keyed)).toEqual(first);
    await service.cancel(request_id);
    expect(await service.ok('/change-requests/CreateChangeRequest', keyed)).toMatchObject({
      request: { request_id, status: 'CANCELED' },
      reused_existing_open: false,
    });
    expect((await list({})).requests).toHaveLength(1);
  });

  test('ignores the order and spelling of fields, and aborts for other content', async () => {
    await service.create(keyed);
    const { use_case, desired_max_24h_send, contact_email } = sesRequest.ses_sending_limit;
    expect(
      (
        await create({
          idempotencyKey: 'one',
          sesSendingLimit: { contactEmail: contact_email, desired_max_24h_send, useCase: use_case },
          conflictBehavior: 'ALLOW_DUPLICATE',
          type: 'CHANGE_REQUEST_TYPE_SES_MAX_24H_SEND_INCREASE',
        })
      ).status,
    ).toBe(200);
    for (const other of [
      { ...keyed, ses_sending_limit: { ...keyed.ses_sending_limit, use_case: 'Other' } },
      { ...lambdaRequest, idempotency_key: 'one' },
      { ...keyed, conflict_behavior: 'FAIL_IF_OPEN' },
    ]) {
      expect(await create(other)).toMatchObject({ status: 409, body: { code: 'aborted' } });
    }
    expect((await list({})).requests).toHaveLength(1);
  });

  test('makes a new request when the key is older than 30 days, with the same or another content', async () => {
    const days = idempotencyKeyDays * 24 * 3_600_000;
    const { request_id } = await service.create(keyed);
    service.pass(days);
    expect((await service.create(keyed)).request_id).toBe(request_id);
    service.pass(1000);
    const again = await service.create(keyed);
    expect(again.request_id).not.toBe(request_id);
    expect((await service.create(keyed)).request_id).toBe(again.request_id);
    service.pass(days + 1000);
    expect(await create({ ...keyed, ses_sending_limit: { ...keyed.ses_sending_limit, use_case: 'Other' } })).toMatchObject({ status: 200 });
  });

  test('returns a reused open request again after the request has ended', async () => {
    const open = await service.create(sesRequest);
    const request = { ...sesRequest, idempotency_key: 'two' };
    expect(await create(request)).toMatchObject({ body: { request: { request_id: open.request_id }, reused_existing_open: true } });
    await service.cancel(open.request_id);
    expect(await create(request)).toMatchObject({ body: { request: { request_id: open.request_id, status: 'CANCELED' }, reused_existing_open: true } });
  });

  test.each(['ALLOW_DUPLICATE', 'RETURN_EXISTING_OPEN', 'FAIL_IF_OPEN'])(
    'creates one request in twenty calls at once under %s, which all return',
    async (conflict_behavior) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => create({ ...keyed, conflict_behavior })));
      expect(new Set(answers.map(({ body }) => (body['request'] as { request_id: string }).request_id)).size).toBe(1);
      expect(answers.every(({ status, body }) => status === 200 && body['reused_existing_open'] === false)).toBe(true);
      expect((await list({})).requests).toHaveLength(1);
    },
  );

  test.each([
    [0, 'before'],
    [0, 'after'],
    [1, 'before'],
    [1, 'after'],
  ] as const)('repairs a call that crashed at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    service = await changeRequestsDeployment(directory);
    directory.endProcessAtWrite(write, when);
    await create(keyed);
    directory.recover();
    const { request_id } = await service.create(keyed);
    expect((await list({})).requests).toEqual([expect.objectContaining({ request_id, status: 'ACCEPTED' })]);
    expect(await service.kinds(request_id)).toEqual(['CREATED']);
  });
});
