import type { Readiness } from '../../../../contract/admin/setup.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const api = adminApiPerTest();

const isDismissed = async () => ((await api.ok('/setup/GetReadiness'))['readiness'] as Readiness).welcome_dismissed;

describe('DismissWelcome', () => {
  test('hides the welcome and shows it again', async () => {
    for (const dismissed of [true, true, false]) {
      expect(await api.ok('/setup/DismissWelcome', { dismissed })).toEqual({});
      expect(await isDismissed()).toBe(dismissed);
    }
  });

  test('audits the change', async () => {
    await api.ok('/setup/DismissWelcome', { dismissed: true });
    expect((await api.ok('/audit/ListAuditLogs', { operation: 'setup/' }))['audit_logs']).toMatchObject([
      {
        action: 'setup/DismissWelcome',
        status: 'success',
        entity_name: 'welcome',
        changes: [{ field: 'welcome_dismissed', old_value: 'false', new_value: 'true' }],
      },
    ]);
  });
});
