import { hasChanges, initialValues, requestFields, requestFrom } from '../../../../console/parts/forms/form-fields.ts';
import { services } from '../../../../contract/admin/index.ts';
import { requestProblems } from '../../../../contract/rpc/decode.ts';
import type { Method } from '../../../../contract/rpc/rpc.ts';

describe('a form for a method', () => {
  test('has a field for each field of the request, and for each field of a nested message', () => {
    expect(requestFields('change-requests', 'CreateChangeRequest').map(({ path }) => path)).toEqual([
      'type',
      'idempotency_key',
      'conflict_behavior',
      'ses_sending_limit.use_case',
      'ses_sending_limit.desired_max_24h_send',
      'ses_sending_limit.desired_max_send_rate_per_second',
      'ses_sending_limit.website_url',
      'ses_sending_limit.contact_email',
      'lambda_concurrency.desired_account_limit',
      'lambda_concurrency.reason',
      'lambda_concurrency.contact_email',
    ]);
  });

  test('sends only changed fields, digits as numbers, and an emptied field as an empty text', () => {
    const fields = requestFields('accounts', 'UpdateAccount');
    const initial = initialValues({ name: 'Alice', max_octets: 5_000, other: 1 }, ['name', 'max_octets', 'max_emails']);
    expect(requestFrom({ ...initial, max_octets: '7000', max_emails: '' }, initial, fields)).toEqual({ max_octets: 7_000 });
    expect(requestFrom({ ...initial, name: '' }, initial, fields)).toEqual({ name: '' });
    expect(requestFrom(initial, initial, fields)).toEqual({});
  });

  test('combines the fields of a nested message', () => {
    const fields = requestFields('change-requests', 'ProvideChangeRequestInfo');
    expect(requestFrom({ 'comment.text': 'Thanks', 'ses_sending_limit.desired_max_24h_send': '50000' }, {}, fields)).toEqual({
      comment: { text: 'Thanks' },
      ses_sending_limit: { desired_max_24h_send: 50_000 },
    });
  });

  test('detects unsaved changes', () => {
    expect(hasChanges({ name: 'Alice' }, { name: 'Alice' })).toBe(false);
    expect(hasChanges({ name: '' }, {})).toBe(false);
    expect(hasChanges({ name: 'Bob' }, { name: 'Alice' })).toBe(true);
  });
});

describe('the problems of a request', () => {
  test('name each field with what the contract requires', () => {
    const { CreateAccount } = services.accounts.methods;
    expect(requestProblems(CreateAccount as unknown as Method, { user_id: 'user_1', name: '', local_part: 'a b', domain_id: 'dom_1' })).toEqual([
      { field: 'name', requirement: 'must be 1 to 100 characters' },
      { field: 'local_part', requirement: expect.any(String) },
    ]);
  });

  test('are none for a valid request', () => {
    const { AddDomain } = services.domains.methods;
    expect(requestProblems(AddDomain as unknown as Method, { domain: 'example.com' })).toEqual([]);
  });
});
