import { suppressionFixture } from './suppression-fixture.ts';

describe('ClearBounceSuppression', () => {
  test('lowers the level and keeps the counters; only a later bounce raises the level again', async () => {
    const { api, advanceClock, bounce, clock, get } = await suppressionFixture();
    await bounce('ann@elsewhere.test');
    const beforeClearing = clock.now;
    advanceClock(60);
    const { suppression } = await api.ok('/suppression/ClearBounceSuppression', { recipient: 'ann@elsewhere.test' });
    expect(suppression).toMatchObject({ bounce: { level: 'NONE', count: 1, last_bounce_type: 'Permanent' } });
    expect(await get('ann@elsewhere.test')).toEqual(suppression);
    clock.now = beforeClearing;
    await bounce('ann@elsewhere.test');
    advanceClock(120);
    expect((await get('ann@elsewhere.test')).bounce).toMatchObject({ level: 'NONE', count: 2 });
    await bounce('ann@elsewhere.test');
    expect((await get('ann@elsewhere.test')).bounce).toMatchObject({ level: 'HARD', count: 3 });
  });

  test('is audited with the old and the new level, a failed call with its error', async () => {
    const { api, advanceClock, bounce } = await suppressionFixture();
    await bounce('ann@elsewhere.test');
    advanceClock(1);
    await api.ok('/suppression/ClearBounceSuppression', { recipient: 'ann@elsewhere.test' });
    advanceClock(1);
    await api.call('/suppression/ClearComplaintSuppression', { recipient: 'bob@elsewhere.test', message_class: 'BULK' });
    const { audit_logs: logs } = await api.ok('/audit/ListAuditLogs', { operation: 'suppression/' });
    expect(logs).toMatchObject([
      { action: 'suppression/ClearComplaintSuppression', status: 'failure', entity_id: 'bob@elsewhere.test', error_msg: 'there is no such suppression' },
      {
        action: 'suppression/ClearBounceSuppression',
        status: 'success',
        entity_id: 'ann@elsewhere.test',
        changes: [{ field: 'level', old_value: 'HARD', new_value: 'NONE' }],
      },
    ]);
  });

  test('four concurrent calls all succeed', async () => {
    const { api, bounce, get } = await suppressionFixture();
    await bounce('ann@elsewhere.test');
    const responses = await Promise.all(Array.from({ length: 4 }, () => api.call('/suppression/ClearBounceSuppression', { recipient: 'ann@elsewhere.test' })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await get('ann@elsewhere.test')).bounce).toMatchObject({ level: 'NONE', count: 1 });
  });
});
