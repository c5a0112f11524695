import { changeRequestsDeploymentPerTest, sesRequest } from './change-requests-deployment.ts';

const service = changeRequestsDeploymentPerTest();

describe('CancelChangeRequest', () => {
  test('cancels an open request, and stores the reason in its history and in the audit log', async () => {
    const { request_id } = await service.create(sesRequest);
    const { body } = await service.cancel(request_id, 'Not needed, says ops@example.test');
    expect(body['request']).toMatchObject({ request_id, status: 'CANCELED', closed_at: '2026-11-21T08:00:00.000Z' });
    expect((await service.events(request_id)).at(-1)).toMatchObject({ kind: 'CANCELED', message: 'Not needed, says (address)' });
    expect(((await service.auditLogs('change-requests/Cancel')) as object[])[0]).toMatchObject({
      action: 'change-requests/CancelChangeRequest',
      status: 'success',
      entity_id: request_id,
      changes: [{ field: 'status', old_value: 'ACCEPTED', new_value: 'CANCELED' }],
      metadata: { reason: 'Not needed, says (address)' },
    });
  });

  test('refuses an ended request with failed_precondition and an unknown one with not_found', async () => {
    const { request_id } = await service.create(sesRequest);
    await service.cancel(request_id);
    expect(await service.cancel(request_id)).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: 'only an open request can be canceled; this one is CANCELED' },
    });
    expect(await service.cancel('cr_123456789012345678901')).toMatchObject({
      status: 404,
      body: { code: 'not_found', message: 'there is no such change request' },
    });
    expect(await service.kinds(request_id)).toEqual(['CREATED', 'CANCELED']);
  });

  test('of twenty concurrent calls, one cancels the request', async () => {
    const { request_id } = await service.create(sesRequest);
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.cancel(request_id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'failed_precondition')).toHaveLength(19);
    expect(await service.kinds(request_id)).toEqual(['CREATED', 'CANCELED']);
  });
});
