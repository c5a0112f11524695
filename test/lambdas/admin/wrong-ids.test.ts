import { keyOf } from '../../../core/storage/dynamodb-expressions.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, everyMethod } from '../../support/admin-api.ts';
import { goodRequests } from '../../support/good-requests.ts';

type Watched = { readonly table: Table; readonly contents: () => Promise<string[]> };

/** A table whose contents can be seen as a whole, but for the audit log. */
const watched = (partitions: Set<string>): Watched => {
  const table = memoryTable();
  const write: Table['write'] = (writes) => {
    for (const one of writes) partitions.add(keyOf(one).pk);
    return table.write(writes);
  };
  const contents = async () => {
    const items = await Promise.all([...partitions].filter((pk) => !pk.startsWith('audit#')).map((pk) => table.query({ pk })));
    return items.flat().map((item) => JSON.stringify(item)).sort();
  };
  return { table: { ...table, write }, contents };
};

/** An admin API in which there is one thing of every kind. */
const furnished = async () => {
  // A transaction may write into another table, so all of them are looked through for every partition.
  const partitions = new Set<string>();
  const [directory, mail, sending] = [watched(partitions), watched(partitions), watched(partitions)];
  const api = await adminApi({ directory: directory.table, mail: mail.table, sending: sending.table });
  const made = async (path: string, request: object, thing: string, id: string) => ((await api.ok(path, request))[thing] as Record<string, string>)[id]!;
  const domain_id = await made('/domains/AddDomain', { domain: 'example.test' }, 'domain', 'id');
  api.emailProvider.verify('example.test');
  const user_id = await made('/users/CreateUser', { email: 'alice@example.test' }, 'user', 'user_id');
  const account_id = await made('/accounts/CreateAccount', { user_id, name: 'n', local_part: 'alice', domain_id }, 'account', 'account_id');
  const alias_id = await made('/aliases/CreateAlias', { account_id, local_part: 'sales', domain_id }, 'alias', 'alias_id');
  const request_id = await made('/change-requests/CreateChangeRequest', { type: 'LAMBDA_CONCURRENCY_INCREASE' }, 'request', 'request_id');
  const { case_id } = await api.ok('/support/OpenSupportCase', { subject: 's' });
  const ids: { readonly [field: string]: string } = { id: domain_id, domain_id, user_id, account_id, alias_id, request_id, case_id: case_id as string };
  const contents = async () => [await directory.contents(), await mail.contents(), await sending.contents()];
  return { api, ids, contents };
};

/** Ids that filter a list, or name nothing of ours. */
const noReferences = ['identity_id', 'aws_request_id', 'correlation_id'];
const isReference = (field: string) => (field === 'id' || field.endsWith('_id')) && !noReferences.includes(field);

const referring = goodRequests.map(({ path, properties, good }) => ({ path, good, fields: Object.keys(properties).filter(isReference) })).filter(({ fields }) => fields.length > 0);

let prepared: Awaited<ReturnType<typeof furnished>>;
beforeEach(async () => {
  prepared = await furnished();
});

describe.each(referring)('$path', ({ path, good, fields }) => {
  test.each(fields)('%s of nothing, or of a thing of another kind, is not_found, changes nothing, and is audited where it was to change something', async (field) => {
    const { api, ids, contents } = prepared;
    // SendTestEmail takes one of two senders.
    const { from_email: _, ...rest } = good as { from_email?: string };
    const right = { ...rest, ...Object.fromEntries(fields.map((name) => [name, ids[name]])) };
    const own = ids[field]!;
    const unknown = `${own.slice(0, own.indexOf('_'))}_${'x'.repeat(21)}`;
    const before = await contents();
    const tried = [unknown, own.toUpperCase(), `${own} `, ...new Set(Object.values(ids).filter((id) => id !== own))];
    for (const wrong of tried) {
      const { status, body } = await api.call(path, { ...right, [field]: wrong });
      expect({ wrong, status, code: body.code }).toEqual({ wrong, status: 404, code: 'not_found' });
    }
    expect(await contents()).toEqual(before);
    const failures = (await api.ok('/audit/ListAuditLogs', { page_size: 100 }))['audit_logs'] as { status: string; action: string; error_msg?: string }[];
    expect(failures.filter(({ status }) => status === 'failure').map(({ action, error_msg }) => [`/${action}`, error_msg?.startsWith('there is no such')])).toEqual(
      everyMethod.some((one) => one.path === path && one.method.changes) ? tried.map(() => [path, true]) : []);
    // It was this id that was wrong, and nothing else.
    expect((await api.call(path, right)).status).not.toBe(404);
  });
});

test('a page token of one method is good for no other', async () => {
  const { api, ids } = prepared;
  await api.ok('/users/CreateUser', { email: 'bob@example.test' });
  const lists = goodRequests.filter(({ properties }) => 'page_token' in properties);
  const requestOf = ({ good, properties }: typeof lists[number]) => ({ ...good, ...Object.fromEntries(Object.keys(properties).filter(isReference).map((name) => [name, ids[name]])) });
  const { next_page_token: page_token } = await api.ok('/users/ListUsers', { page_size: 1 });
  expect(page_token).not.toBe('');
  for (const list of lists) {
    const { status, body } = await api.call(list.path, { ...requestOf(list), page_token });
    expect({ path: list.path, status, code: body.code }).toEqual(
      list.path === '/users/ListUsers' ? { path: list.path, status: 200, code: undefined } : { path: list.path, status: 400, code: 'invalid_argument' });
  }
});

/** What else a method needs to meet what is there already. */
const meeting: { readonly [path: string]: object } = { '/change-requests/CreateChangeRequest': { conflict_behavior: 'FAIL_IF_OPEN' } };

test.each(everyMethod.filter(({ method }) => method.errors.includes('already_exists')).map(({ path }) => path))('%s: what is there already is already_exists, and changes nothing', async (path) => {
  const { api, ids, contents } = prepared;
  api.dnsProvider.addZone('example.test');
  api.dnsProvider.put('example.test', { name: '_dmarc.example.test', type: 'TXT', values: ['"v=DMARC1; p=reject"'] });
  const { good, properties } = goodRequests.find((request) => request.path === path)!;
  const request = { ...good, ...meeting[path], ...Object.fromEntries(Object.keys(properties).filter(isReference).map((name) => [name, ids[name]])) };
  await api.call(path, request);
  const before = await contents();
  const { status, body } = await api.call(path, request);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'already_exists' });
  if (path !== '/domains/ApplyDomainRecords') expect(await contents()).toEqual(before);
});
