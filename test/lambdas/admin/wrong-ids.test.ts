import type { AuditLog } from '../../../contract/admin/audit.ts';
import { receivedIdOf, referenceOf } from '../../../core/mail/delivery/received-message.ts';
import { receivedMessagesIn } from '../../../core/mail/delivery/received-messages.ts';
import { keyOf } from '../../../core/storage/dynamodb/dynamodb-expressions.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, everyMethod } from '../../support/admin-api.ts';
import { createAccount } from '../../support/admin-resources.ts';
import { perTest } from '../../support/per-test.ts';
import { validRequests } from '../../support/valid-admin-requests.ts';

type InspectableTable = { readonly table: Table; readonly contents: () => Promise<string[]> };

/**
 * A table whose whole contents, except for the audit log, can be read.
 * @param partitions collects the written partition keys.
 */
const inspectableTable = (partitions: Set<string>): InspectableTable => {
  const table = memoryTable();
  const write: Table['write'] = (writes) => {
    for (const item of writes) partitions.add(keyOf(item).pk);
    return table.write(writes);
  };
  const contents = async () => {
    const items = await Promise.all([...partitions].filter((pk) => !pk.startsWith('audit#')).map((pk) => table.query({ pk })));
    return items
      .flat()
      .map((item) => JSON.stringify(item))
      .sort();
  };
  return { table: { ...table, write }, contents };
};

/** An admin API with one resource of every kind. */
const apiWithResources = async () => {
  // A transaction may write to several tables, so every table is searched for every partition.
  const partitions = new Set<string>();
  const [directory, mail, sending] = [inspectableTable(partitions), inspectableTable(partitions), inspectableTable(partitions)];
  const api = await adminApi({ directory: directory.table, mail: mail.table, sending: sending.table });
  const create = async (path: string, request: object, resource: string, id: string) =>
    ((await api.ok(path, request))[resource] as Record<string, string>)[id]!;
  const domain_id = await create('/domains/AddDomain', { domain: 'example.test' }, 'domain', 'id');
  api.emailProvider.verify('example.test');
  const user_id = await create('/users/CreateUser', { email: 'alice@example.test' }, 'user', 'user_id');
  const account = { user_id, name: 'n', local_part: 'alice', domain_id };
  const account_id = await create('/accounts/CreateAccount', account, 'account', 'account_id');
  const alias_id = await create('/aliases/CreateAlias', { account_id, local_part: 'sales', domain_id }, 'alias', 'alias_id');
  const group_id = await create('/aliases/CreateGroup', { local_part: 'all', domain_id }, 'group', 'group_id');
  const concurrency = { type: 'LAMBDA_CONCURRENCY_INCREASE', lambda_concurrency: { desired_account_limit: 1000, reason: 'Bursts of mail' } };
  const request_id = await create('/change-requests/CreateChangeRequest', concurrency, 'request', 'request_id');
  const deleted_account_id = await create('/accounts/CreateAccount', { ...account, local_part: 'former' }, 'account', 'account_id');
  await api.ok('/accounts/DeleteAccount', { account_id: deleted_account_id });
  const { case_id } = await api.ok('/support/OpenSupportCase', { subject: 's' });
  const { submission_id } = await api.ok('/domains/SendTestEmail', { id: domain_id, test_type: 'BOUNCE' });
  const received = {
    sesMessageId: 'ses-1',
    at: new Date().toISOString(),
    sender: 'ann@elsewhere.test',
    size: 1,
    isJunk: false,
    verdicts: {},
    recipients: { 'alice@example.test': { n: 0, account: account_id } },
  };
  await receivedMessagesIn(sending.table).record(received);
  const ids: { readonly [field: string]: string } = {
    id: domain_id,
    domain_id,
    user_id,
    account_id,
    alias_id,
    group_id,
    request_id,
    deleted_account_id,
    case_id: case_id as string,
    submission_id: submission_id as string,
    received_id: receivedIdOf(referenceOf(received)),
  };
  const contents = async () => [await directory.contents(), await mail.contents(), await sending.contents()];
  return { api, ids, contents };
};

/** Id fields that filter a list or contain an id of AWS. */
const notReferences = ['identity_id', 'aws_request_id', 'correlation_id'];
/** Methods whose ids filter a list. */
const filteringPaths = ['/mail-feedback/ListSentMessages', '/mail-feedback/ListReceivedMessages', '/aliases/ListGroupsOfMember'];
/** Methods for deleted accounts. */
const pathsOfDeletedAccounts = ['/accounts/RestoreAccount', '/accounts/RemoveAccountNow'];
/** Whether the call resumes an earlier one: DeleteAccount resumes the removal of a deleted account. */
const isResumed = (path: string, id: string, { deleted_account_id: deleted }: { readonly [field: string]: string }): boolean =>
  path === '/accounts/DeleteAccount' && id === deleted;
const isReference = (field: string) => (field === 'id' || field.endsWith('_id')) && !notReferences.includes(field);

const requestsWithReferences = validRequests
  .filter(({ path }) => !filteringPaths.includes(path))
  .map(({ path, properties, request }) => ({ path, request, fields: Object.keys(properties).filter(isReference) }))
  .filter(({ fields }) => fields.length > 0);

const prepared = perTest(() => apiWithResources());

describe.each(requestsWithReferences)('$path', ({ path, request, fields }) => {
  test.each(fields)('a wrong %s is not_found, changes nothing, and is audited if the method changes something', async (field) => {
    const { api, ids, contents } = prepared;
    // SendTestEmail takes either from_email or id.
    const { from_email: _, ...rest } = request as { from_email?: string };
    const idOf = (name: string) => ids[pathsOfDeletedAccounts.includes(path) && name === 'account_id' ? 'deleted_account_id' : name]!;
    const valid = { ...rest, ...Object.fromEntries(fields.map((name) => [name, idOf(name)])) };
    const own = idOf(field);
    const unknown = `${own.slice(0, own.indexOf('_'))}_${'x'.repeat(21)}`;
    const before = await contents();
    const wrongIds = [unknown, own.toUpperCase(), `${own} `, ...new Set(Object.values(ids).filter((id) => id !== own && !isResumed(path, id, ids)))];
    for (const wrong of wrongIds) {
      const { status, body } = await api.call(path, { ...valid, [field]: wrong });
      expect({ wrong, status, code: body.code }).toEqual({ wrong, status: 404, code: 'not_found' });
    }
    expect(await contents()).toEqual(before);
    const entries = (await api.ok('/audit/ListAuditLogs', { page_size: 100 }))['audit_logs'] as AuditLog[];
    const audited = entries
      .filter(({ status }) => status === 'failure')
      .map(({ action, error_msg: message }) => [`/${action}`, message?.startsWith('there is no such')]);
    expect(audited).toEqual(everyMethod.some((method) => method.path === path && method.method.changes) ? wrongIds.map(() => [path, true]) : []);
    // Nothing else in the request was wrong.
    expect((await api.call(path, valid)).status).not.toBe(404);
  });
});

test('a page token is valid only for the method that returned it', async () => {
  const { api, ids } = prepared;
  await api.ok('/users/CreateUser', { email: 'bob@example.test' });
  const lists = validRequests.filter(({ properties }) => 'page_token' in properties);
  const requestOf = ({ request, properties }: (typeof lists)[number]) => ({
    ...request,
    ...Object.fromEntries(
      Object.keys(properties)
        .filter(isReference)
        .map((name) => [name, ids[name]]),
    ),
  });
  const { next_page_token: page_token } = await api.ok('/users/ListUsers', { page_size: 1 });
  expect(page_token).not.toBe('');
  for (const list of lists) {
    const { status, body } = await api.call(list.path, { ...requestOf(list), page_token });
    const expected = list.path === '/users/ListUsers' ? { status: 200, code: undefined } : { status: 400, code: 'invalid_argument' };
    expect({ path: list.path, status, code: body.code }).toEqual({ path: list.path, ...expected });
  }
});

/** Fields that a request needs so that the method reports a conflict. */
const conflictFields: { readonly [path: string]: object } = {
  '/change-requests/CreateChangeRequest': { conflict_behavior: 'FAIL_IF_OPEN' },
  '/users/ChangeSignInAddress': { email: 'admin@example.test' },
  '/users/RestoreUser': { email: 'admin@example.test' },
};

type Prepared = Pick<Awaited<ReturnType<typeof apiWithResources>>, 'api' | 'ids'>;

/** Makes the conflict of a method that creates nothing. @returns fields of the request. */
const conflictPreparations: { readonly [path: string]: (to: Prepared) => Promise<object> } = {
  '/users/RestoreUser': async ({ api, ids }) => api.ok('/users/DeleteUser', { user_id: ids['user_id'] }).then(() => ({})),
  '/aliases/MoveAlias': async ({ api, ids }) => {
    await api.ok('/users/ChangeSignInAddress', { user_id: ids['user_id'], email: 'sales@example.test' });
    return { account_id: (await createAccount(api, { domain_id: ids['domain_id']!, local_part: 'team' })).account_id };
  },
};

const creatingPaths = everyMethod.filter(({ method }) => method.errors.includes('already_exists')).map(({ path }) => path);

test.each(creatingPaths)('%s of an existing resource is already_exists and changes nothing', async (path) => {
  const { api, ids, contents } = prepared;
  api.dnsProvider.addZone('example.test');
  api.dnsProvider.put('example.test', { name: '_dmarc.example.test', type: 'TXT', values: ['"v=DMARC1; p=reject"'] });
  const valid = validRequests.find((candidate) => candidate.path === path)!;
  const references = Object.fromEntries(
    Object.keys(valid.properties)
      .filter(isReference)
      .map((name) => [name, ids[name]]),
  );
  const request = { ...valid.request, ...conflictFields[path], ...references, ...(await conflictPreparations[path]?.(prepared)) };
  await api.call(path, request);
  const before = await contents();
  const { status, body } = await api.call(path, request);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'already_exists' });
  if (path !== '/domains/ApplyDomainRecords') expect(await contents()).toEqual(before);
});
