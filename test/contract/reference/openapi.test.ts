import { services } from '../../../contract/admin/index.ts';
import { openApiDocument } from '../../../contract/reference/openapi.ts';
import type { Service } from '../../../contract/rpc/rpc.ts';

type Json = { [name: string]: unknown };
const document = openApiDocument({ url: 'https://api.example.test', version: '1.2.3' });
const operations = Object.entries(document.paths).map(([path, item]) => ({ path, post: item['post'] as Json, verbs: Object.keys(item) }));

/** The values of every key with that name in the document. */
const all = (value: unknown, name: string): unknown[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === name ? [inner] : all(inner, name)));
};

test('the document has one POST for every method, at its path', () => {
  const wanted = Object.values(services).flatMap(({ path, methods }) => Object.keys(methods).map((name) => `${path}/${name}`));
  expect(operations.map(({ path }) => path).sort()).toEqual(wanted.sort());
  expect(operations.flatMap(({ verbs }) => verbs).every((verb) => verb === 'post')).toBe(true);
});

test('operation ids and names of methods are unique', () => {
  const ids = operations.map(({ post }) => post['operationId']);
  expect(new Set(ids).size).toBe(ids.length);
  const names = Object.values(services).flatMap(({ methods }) => Object.keys(methods));
  expect(new Set(names).size).toBe(names.length);
});

test('every $ref refers to a schema of the document', () => {
  const references = all(document, '$ref') as string[];
  expect(references.length).toBeGreaterThan(200);
  const dangling = references.filter((reference) => !Object.hasOwn(document.components.schemas, reference.replace('#/components/schemas/', '')));
  expect(dangling).toEqual([]);
  expect(all(document, '$defs')).toEqual([]);
});

test('the document is a JSON value', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});

test('schemas of requests refuse unknown keys and have defaults and limits', () => {
  const list = document.components.schemas['ListAccountsRequest'];
  expect(list).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: { page_size: { type: 'integer', minimum: 1, maximum: 1000, default: 50 } },
  });
  expect(list).not.toHaveProperty('required');
  const add = document.components.schemas['AddDomainRequest'];
  expect(add).toMatchObject({ required: ['domain'], properties: { send_enabled: { type: 'boolean', default: true }, receive_enabled: { default: false } } });
  expect(JSON.stringify(add)).toContain('"default":"CREATE_IF_MISSING"');
});

test('schemas of responses require lists and the page token', () => {
  expect(document.components.schemas['ListUsersResponse']).toMatchObject({ required: ['users', 'next_page_token'], additionalProperties: false });
  expect(document.components.schemas['Domain']).toMatchObject({ properties: { verification_status: { $ref: '#/components/schemas/VerificationStatus' } } });
  expect(document.components.schemas['VerificationStatus']).toMatchObject({ enum: ['PENDING', 'SUCCESS', 'FAILED'] });
});

test('every operation lists its own errors and the common ones, with one schema of the body', () => {
  const responses = operations.find(({ path }) => path === '/accounts/CreateAccount')?.post['responses'] as Json;
  expect(Object.keys(responses).sort()).toEqual(['200', '400', '401', '403', '404', '409', '500', '503', 'default']);
  expect(responses['409']).toMatchObject({ content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } });
  expect(document.components.schemas['Error']).toMatchObject({ required: ['code', 'message'] });
});

test('every method that changes something lists aborted', () => {
  const changing = Object.values(services as { readonly [name: string]: Service }).flatMap(({ name, methods }) =>
    Object.entries(methods)
      .filter(([, method]) => method.changes)
      .map(([method, { errors }]) => ({ method: `${name}/${method}`, errors })),
  );
  expect(changing.filter(({ errors }) => !errors.includes('aborted')).map(({ method }) => method)).toEqual([]);
});

test('every operation needs an access token', () => {
  expect(document['security']).toEqual([{ accessToken: [] }]);
  expect(operations.filter(({ post }) => 'security' in post)).toEqual([]);
});
