import { services } from '../../contract/admin/index.ts';
import { adminMachineToken } from './access-tokens.ts';
import { call, expectError, ok, rawCall } from './admin-calls.ts';
import { deployed } from './deployment.ts';
import { bearer, httpRequest } from './http-requests.ts';

const firstMethods = Object.values(services).map((service) => `${service.name}/${Object.keys(service.methods)[0]}`);
const everyMethod = Object.values(services).flatMap(({ name, methods }) => Object.keys(methods).map((method) => `${name}/${method}`));

// The unit tests show the refusals of each method: test/lambdas/admin/invalid-input.test.ts and wrong-ids.test.ts.
describe('validation of admin requests', () => {
  test.each(firstMethods)('%s responds with 404 to verbs other than POST', async (method) => {
    const token = await adminMachineToken();
    for (const verb of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      expectError(await httpRequest(`${deployed.adminApiUrl}/${method}`, { method: verb, headers: bearer(token) }), 404, 'not_found');
    }
  });

  test.each(Object.keys(services))('/%s responds with 404 to an unknown method', async (service) => {
    const token = await adminMachineToken();
    for (const name of ['NoSuchMethod', 'toString', '__proto__', 'a/b']) {
      expectError(await rawCall(token, `${service}/${name}`, '{ broken'), 404, 'not_found');
    }
  });

  test('responds with 404 to a path outside every service', async () => {
    const token = await adminMachineToken();
    for (const path of ['unknown/Ping', 'status', '', 'Status/Ping']) expectError(await rawCall(token, path, '{}'), 404, 'not_found');
  });

  test('refuses a body of 10 MB', async () => {
    const answer = await rawCall(await adminMachineToken(), 'domains/AddDomain', `{"domain":"${'a'.repeat(10_000_000)}"}`);
    expect([400, 413]).toContain(answer.status);
  });

  test('refuses a body of 1.2 MB, which API Gateway accepts', async () => {
    expectError(await rawCall(await adminMachineToken(), 'domains/AddDomain', `{"domain":"${'a'.repeat(1_200_000)}"}`), 400, 'invalid_argument');
  });

  test('accepts a page token only unchanged and in the list that returned it', async () => {
    const token = await adminMachineToken();
    const { next_page_token: pageToken } = await ok<{ next_page_token: string }>(token, 'users/ListUsers', { page_size: 1 });
    expect(pageToken).toMatch(/^\S{1,512}$/);
    expect((await call(token, 'users/ListUsers', { page_size: 1, page_token: pageToken })).status).toBe(200);
    expectError(await call(token, 'accounts/ListAccounts', { page_token: pageToken }), 400, 'invalid_argument');
    const tampered = `${pageToken.slice(0, -2)}${pageToken.endsWith('AA') ? 'BB' : 'AA'}`;
    expectError(await call(token, 'users/ListUsers', { page_token: tampered }), 400, 'invalid_argument');
    expectError(await call(token, 'users/ListUsers', { page_token: 'x'.repeat(513) }), 400, 'invalid_argument');
  });

  test.each(everyMethod)('%s exists', async (method) => {
    expectError(await rawCall(await adminMachineToken(), method, '"not an object"'), 400, 'invalid_argument');
  });
});
