import { services } from '../../contract/admin/index.ts';
import { call, expectError, ok, rawCall } from './admin-calls.ts';
import { deployed } from './deployment.ts';
import { httpRequest, bearer } from './http-requests.ts';
import { adminMachineToken } from './access-tokens.ts';

const firstMethods = Object.values(services).map((service) => `${service.name}/${Object.keys(service.methods)[0]}`);
const methodsOfEveryService = Object.values(services).flatMap(({ name, methods }) => Object.keys(methods).map((method) => `${name}/${method}`));

describe('what an admin sends is judged before a method sees it', () => {
  test.each(firstMethods)('%s refuses broken JSON', async (method) => {
    expectError(await rawCall(await adminMachineToken(), method, '{"a":'), 400, 'invalid_argument');
  });

  test.each(firstMethods)('%s refuses JSON that is no object', async (method) => {
    for (const body of ['[]', '"text"', '1', 'null']) expectError(await rawCall(await adminMachineToken(), method, body), 400, 'invalid_argument');
  });

  test.each(firstMethods)('%s refuses keys that it does not know', async (method) => {
    expectError(await call(await adminMachineToken(), method, { no_such_key: 1 }), 400, 'invalid_argument');
  });

  test.each(firstMethods)('%s has no other verb than POST', async (method) => {
    const token = await adminMachineToken();
    for (const verb of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      expectError(await httpRequest(`${deployed.adminApiUrl}/${method}`, { method: verb, headers: bearer(token) }), 404, 'not_found');
    }
  });

  test.each(Object.keys(services))('/%s answers 404 for a method that there is not', async (service) => {
    const token = await adminMachineToken();
    for (const name of ['NoSuchMethod', 'toString', '__proto__', 'a/b']) expectError(await rawCall(token, `${service}/${name}`, '{ broken'), 404, 'not_found');
  });

  test('a path outside every service answers 404', async () => {
    const token = await adminMachineToken();
    for (const path of ['nowhere/Ping', 'status', '', 'Status/Ping']) expectError(await rawCall(token, path, '{}'), 404, 'not_found');
  });

  test('a body of 10 MB is refused', async () => {
    const answer = await rawCall(await adminMachineToken(), 'domains/AddDomain', `{"domain":"${'a'.repeat(10_000_000)}"}`);
    expect([400, 413]).toContain(answer.status);
  });

  test('a body above a megabyte that the gateway lets through is refused', async () => {
    expectError(await rawCall(await adminMachineToken(), 'domains/AddDomain', `{"domain":"${'a'.repeat(1_200_000)}"}`), 400, 'invalid_argument');
  });

  test('wrong types and numbers out of range are refused', async () => {
    const token = await adminMachineToken();
    for (const request of [{ page_size: 0 }, { page_size: 1001 }, { page_size: 1.5 }, { page_size: 'many' }, { page_size: [1] }, { page_token: 7 }]) {
      expectError(await call(token, 'users/ListUsers', request), 400, 'invalid_argument');
    }
  });

  test('a missing argument is refused with its name', async () => {
    const answer = await call(await adminMachineToken(), 'accounts/CreateAccount', { name: 'X' });
    expectError(answer, 400, 'invalid_argument');
    expect(answer.text).toContain('user_id');
  });

  test('keys may be lowerCamelCase, and numbers decimal strings', async () => {
    expect((await call(await adminMachineToken(), 'users/ListUsers', { pageSize: '5' })).status).toBe(200);
  });

  test('an unknown id is 404', async () => {
    const token = await adminMachineToken();
    expectError(await call(token, 'users/GetUser', { user_id: 'user_nobody' }), 404, 'not_found');
    expectError(await call(token, 'accounts/GetAccount', { account_id: 'acc_nothing' }), 404, 'not_found');
    expectError(await call(token, 'domains/GetDomain', { id: 'dom_nowhere' }), 404, 'not_found');
  });

  test('a page token is good for the list that gave it, unchanged', async () => {
    const token = await adminMachineToken();
    const { next_page_token: pageToken } = await ok<{ next_page_token: string }>(token, 'users/ListUsers', { page_size: 1 });
    expect(pageToken).toMatch(/^\S{1,512}$/);
    expect((await call(token, 'users/ListUsers', { page_size: 1, page_token: pageToken })).status).toBe(200);
    expectError(await call(token, 'accounts/ListAccounts', { page_token: pageToken }), 400, 'invalid_argument');
    const tampered = `${pageToken.slice(0, -2)}${pageToken.endsWith('AA') ? 'BB' : 'AA'}`;
    expectError(await call(token, 'users/ListUsers', { page_token: tampered }), 400, 'invalid_argument');
    expectError(await call(token, 'users/ListUsers', { page_token: 'x'.repeat(513) }), 400, 'invalid_argument');
  });

  test.each(methodsOfEveryService)('%s is there', async (method) => {
    expectError(await rawCall(await adminMachineToken(), method, '"no request"'), 400, 'invalid_argument');
  });
});
