import { mayOpen } from '../../../console/page/may-open.ts';

describe('the navigation', () => {
  const paths = {
    audit: { path: '/audit', methods: { audit: ['ListAuditLogs'] } },
    users: { path: '/users', methods: { users: ['ListUsers', 'DeleteUser'] } },
  } as const;

  test('has the pages whose first method the role may call', () => {
    expect((['ALL', 'HELPDESK', 'READ_ONLY'] as const).map((role) => [mayOpen(role, paths.audit), mayOpen(role, paths.users)])).toEqual([
      [true, true],
      [false, true],
      [true, true],
    ]);
  });

  test('has every page that calls no method', () => {
    expect(mayOpen('READ_ONLY', { path: '/about' })).toBe(true);
  });
});
