import { printableJson, responseTable } from '../../../cli/terminal/response-table.ts';
import { printable } from '../../../contract/values/printable.ts';

test('a list is a table whose columns are aligned by display width', () => {
  expect(
    responseTable({
      users: [
        { id: 'a', name: '日本' },
        { id: 'bcd', name: 'x', extra: [{ y: 1 }] },
      ],
      next_page_token: '',
    }),
  ).toBe('ID   NAME\na    日本\nbcd  x\n\nnot shown: extra (without --table they are)');
});

test('a list shows a message inside a message in one cell, unless it has messages itself', () => {
  const logs = [{ action: 'users/ListUsers', actor: { actor_type: 'USER', actor_id: 'user_1', email: 'ann@example.test' }, deep: { inner: { x: 1 } } }];
  expect(responseTable({ logs })).toBe('ACTION           ACTOR\nusers/ListUsers  USER user_1 ann@example.test\n\nnot shown: deep (without --table they are)');
});

test('an empty list is named, the page token is shown, and a single message is a table of its fields', () => {
  expect(responseTable({ users: [], next_page_token: 'abc' })).toBe('no users\n\nnext_page_token  abc');
  expect(responseTable({ user: { id: 'a', is_admin: true, tags: ['x'] } })).toBe('id        a\nis_admin  true\ntags      x');
  expect(responseTable({ a: [{ x: 1 }], b: [] })).toBe('a:\nX\n1\n\nb:\nno b');
  expect(responseTable({})).toBe('');
});

test('a table has no JSON: fields of a message inside a message have a dotted name', () => {
  const user = { user_id: 'a', idp_identities: [{ provider: 'Cognito', groups: ['x', 'y'] }], quota: { max: 5 } };
  expect(responseTable({ user })).toBe(
    'user_id                    a\nidp_identities.0.provider  Cognito\nidp_identities.0.groups    x, y\nquota.max                  5',
  );
  expect(responseTable({ users: [user] })).not.toMatch(/[{}[\]]/);
});

test('messages of the same type inside a message are a table, without its empty columns', () => {
  const record = (name: string, more: object = {}) => ({ name, valid: false, found_values: [], ...more });
  const domain = { id: 'a', records: { dkim: [record('x'), record('y', { problem: 'none' })], mx: record('z'), other: { count: 1 } } };
  expect(responseTable({ domain })).toBe(
    [
      'id                   a',
      'records.other.count  1',
      '',
      '                NAME  VALID  PROBLEM',
      'records.dkim.0  x     false',
      'records.dkim.1  y     false  none',
      'records.mx      z     false',
    ].join('\n'),
  );
});

test('control characters of a response are escaped', () => {
  const hostile = '\u001b]0;owned\u0007\u009b2J\u202etxt.exe\n';
  for (const shown of [printable(hostile), printableJson({ name: hostile }), responseTable({ users: [{ name: hostile }] }).split('\n')[1]!]) {
    // oxlint-disable-next-line no-control-regex -- the output must not contain these
    expect(shown.replaceAll(/\n {0,2}/g, '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  }
  expect(JSON.parse(printableJson({ name: hostile }))).toEqual({ name: hostile });
});
