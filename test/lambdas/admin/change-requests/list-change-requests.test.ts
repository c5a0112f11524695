import { changeRequestsDeploymentPerTest, lambdaRequest, sesRequest } from './change-requests-deployment.ts';

const service = changeRequestsDeploymentPerTest();

const list = async (request: object) =>
  (await service.ok('/change-requests/ListChangeRequests', request)) as {
    requests: { request_id: string; status: string; type: string }[];
    next_page_token: string;
  };

describe('ListChangeRequests and ListChangeRequestEvents', () => {
  const made = async (count: number) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      service.pass(1000);
      ids.unshift((await service.create({ ...(index % 3 === 0 ? lambdaRequest : sesRequest), conflict_behavior: 'ALLOW_DUPLICATE' })).request_id);
    }
    return ids;
  };
  const pages = async (request: object) => {
    const found: string[][] = [];
    for (let page_token = ''; ;) {
      const page = await list({ ...request, page_token });
      found.push(page.requests.map(({ request_id }) => request_id));
      page_token = page.next_page_token;
      if (page_token === '') return found;
    }
  };

  test('return requests newest first, and new requests do not change later pages', async () => {
    const ids = await made(7);
    const first = await list({ page_size: 3 });
    await made(2);
    const second = await list({ page_size: 3, page_token: first.next_page_token });
    expect([...first.requests, ...second.requests].map(({ request_id }) => request_id)).toEqual(ids.slice(0, 6));
    expect((await pages({ page_size: 4 })).map(({ length }) => length)).toEqual([4, 4, 1]);
  });

  test('filter requests by type and by statuses', async () => {
    const ids = await made(9);
    const canceled = [ids[0]!, ids[4]!];
    for (const id of canceled) await service.cancel(id);
    expect((await pages({ page_size: 2, status: ['CANCELED'] })).flat()).toEqual(canceled);
    expect((await pages({ page_size: 2, status: ['ACCEPTED', 'ACCEPTED', 'SUCCEEDED'] })).flat()).toEqual(ids.filter((id) => !canceled.includes(id)));
    expect((await pages({ page_size: 2, status: ['ACCEPTED', 'CANCELED'] })).flat()).toEqual(ids);
    expect((await pages({ page_size: 2, type: 'LAMBDA_CONCURRENCY_INCREASE' })).flat()).toEqual([ids[2], ids[5], ids[8]]);
    expect((await pages({ type: 'LAMBDA_CONCURRENCY_INCREASE', status: ['CANCELED'] })).flat()).toEqual([]);
    expect(await list({ type: 'SES_MAX_SEND_RATE_INCREASE' })).toEqual({ requests: [], next_page_token: '' });
  });

  test('refuse a page token of other arguments', async () => {
    await made(3);
    const { next_page_token: page_token } = await list({ page_size: 1 });
    expect(await service.call('/change-requests/ListChangeRequests', { page_token, type: 'LAMBDA_CONCURRENCY_INCREASE' })).toMatchObject({ status: 400 });
  });

  test('return events oldest first, in pages; not_found for an unknown request', async () => {
    const { request_id } = await service.create(sesRequest);
    await service.run();
    await service.cancel(request_id);
    const first = await service.ok('/change-requests/ListChangeRequestEvents', { request_id, page_size: 2 });
    const second = await service.ok('/change-requests/ListChangeRequestEvents', { request_id, page_size: 2, page_token: first['next_page_token'] });
    expect([...(first['events'] as object[]), ...(second['events'] as object[])]).toMatchObject([
      { kind: 'CREATED' },
      { kind: 'SUBMITTED' },
      { kind: 'CANCELED' },
    ]);
    expect(second['next_page_token']).toBe('');
    expect(await service.call('/change-requests/ListChangeRequestEvents', { request_id: 'cr_none' })).toMatchObject({ status: 404 });
  });
});
