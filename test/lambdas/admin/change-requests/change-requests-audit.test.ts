import { memoryTable } from '../../../fakes/memory-table.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { changeRequestsDeployment, sesRequest, type Deployment } from './change-requests-deployment.ts';

let service: Deployment;
beforeEach(async () => {
  service = await changeRequestsDeployment();
});

test('every change of a change request is audited, also repeated and failed calls', async () => {
  const directory = failingTable(memoryTable());
  service = await changeRequestsDeployment(directory);
  const { request_id } = await service.create({ ...sesRequest, idempotency_key: 'a' });
  await service.create({ ...sesRequest, idempotency_key: 'a' });
  await service.create(sesRequest);
  await service.cancel(request_id);
  await service.cancel(request_id);
  const logs = (await service.auditLogs('change-requests/')) as { status: string; entity_id: string; entity_name: string }[];
  expect(logs.map(({ status }) => status).toSorted()).toEqual(['failure', 'success', 'success', 'success', 'success']);
  expect(logs.every((log) => log.entity_id === request_id && log.entity_name === 'SES_MAX_24H_SEND_INCREASE')).toBe(true);
});
