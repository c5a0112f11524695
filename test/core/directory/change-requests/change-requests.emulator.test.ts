import { changeRequestsDeployment, lambdaRequest, type Deployment } from '../../../lambdas/admin/change-requests/change-requests-deployment.ts';
import { withDynamodb } from '../../../support/dynamodb.ts';

const dynamodb = withDynamodb();
let service: Deployment;
beforeAll(async () => {
  service = await changeRequestsDeployment(await dynamodb.newTable());
});

describe('change requests in DynamoDB', () => {
  test('of ten concurrent creations one creates the request and the others return it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.ok('/change-requests/CreateChangeRequest', { ...lambdaRequest, idempotency_key: 'one' })),
    );
    expect(new Set(answers.map(({ request }) => (request as { request_id: string }).request_id)).size).toBe(1);
    const others = await Promise.all(Array.from({ length: 10 }, () => service.ok('/change-requests/CreateChangeRequest', lambdaRequest)));
    expect(others.every(({ reused_existing_open: reused }) => reused === true)).toBe(true);
  });

  test('a request keeps its events and its place in lists through its transitions', async () => {
    const { request_id } = await service.create(lambdaRequest);
    await Promise.all([service.run(), service.workerOn(service.directory)()]);
    expect(service.quotaProvider.calls['requestIncrease']).toBe(1);
    service.quotaProvider.decide(service.quotaProvider.requests[0]!.id, 'CASE_OPENED');
    await service.later();
    expect((await service.ok('/change-requests/ListChangeRequests', { status: ['WAITING_ON_PROVIDER'] }))['requests']).toEqual([await service.get(request_id)]);
    service.quotaProvider.decide(service.quotaProvider.requests[0]!.id, 'APPROVED');
    await service.later();
    expect(await service.kinds(request_id)).toEqual(['CREATED', 'SUBMITTED', 'SUPPORT_CASE_OPENED', 'APPROVED', 'SUCCEEDED']);
    expect((await service.ok('/change-requests/ListChangeRequests', { status: ['WAITING_ON_PROVIDER'] }))['requests']).toEqual([]);
  });

  test('of ten concurrent cancellations one succeeds', async () => {
    const { request_id } = await service.create(lambdaRequest);
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.cancel(request_id)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
  });
});
