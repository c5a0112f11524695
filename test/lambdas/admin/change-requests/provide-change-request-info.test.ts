import { changeRequestsIn } from '../../../../core/directory/change-requests/change-requests.ts';
import { newId } from '../../../../core/runtime/ids.ts';
import { requestDescription } from '../../../../lambdas/admin/change-requests/change-request-payload.ts';
import { changeRequestsDeploymentPerTest, lambdaRequest, sesRequest } from './change-requests-deployment.ts';

const service = changeRequestsDeploymentPerTest();

describe('ProvideChangeRequestInfo', () => {
  test.each([{ comment: { text: 'Please' } }, { ses_sending_limit: { use_case: 'More' } }, {}])(
    'refuses a request outside ACTION_REQUIRED with failed_precondition',
    async (more) => {
      const { request_id } = await service.create(sesRequest);
      expect(await service.provide(request_id, more)).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
      await service.cancel(request_id);
      expect(await service.provide(request_id, more)).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
      expect(await service.provide('cr_none', more)).toMatchObject({ status: 404 });
    },
  );

  test('adds missing fields to a request, and the worker then submits it', async () => {
    const { request_id } = await changeRequestsIn(service.directory, { newId, clock: service.clock }).create(
      { type: 'LAMBDA_CONCURRENCY_INCREASE', ...requestDescription('LAMBDA_CONCURRENCY_INCREASE', {}, 'us-east-1') },
      { alone: true },
      () => [],
    );
    await service.run();
    expect(await service.get(request_id)).toMatchObject({ status: 'ACTION_REQUIRED' });
    expect(await service.provide(request_id, {})).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await service.provide(request_id, { ses_sending_limit: { use_case: 'Other' } })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    const { body } = await service.provide(request_id, { ...lambdaRequest, type: undefined, comment: { text: 'Call ops@example.test' } });
    expect(body['request']).toMatchObject({
      status: 'SUBMITTED',
      lambda_concurrency: lambdaRequest.lambda_concurrency,
      aws_reference: { requested_value: 1000 },
    });
    expect(body['request']).not.toHaveProperty('last_error');
    await service.run();
    expect(await service.kinds(request_id)).toEqual(['CREATED', 'ACTION_REQUIRED', 'USER_PROVIDED_INFO', 'COMMENT', 'SUBMITTED']);
    expect((await service.events(request_id)).slice(2, 4)).toMatchObject([
      { details: { fields: expect.stringContaining('contact_email') } },
      { message: 'Call (address)' },
    ]);
    expect(service.quotaProvider.requests).toHaveLength(1);
  });
});
