import { suppressionFixture } from './suppression-fixture.ts';

test('GetSuppression returns the whole record; the recipient is compared case-insensitively', async () => {
  const { bounce, clock, get } = await suppressionFixture();
  await bounce('ann@elsewhere.test');
  const none = { level: 'NONE', count: 0, last_complaint_type: '', last_identity_id: '' };
  expect(await get('Ann@Elsewhere.test')).toEqual({
    recipient: 'ann@elsewhere.test',
    bounce: {
      level: 'HARD',
      count: 1,
      first_occurrence: clock.now.toISOString(),
      last_occurrence: clock.now.toISOString(),
      soft_bounce_count: 0,
      last_bounce_type: 'Permanent',
      last_bounce_sub_type: 'General',
      last_diagnostic_code: '550',
    },
    complaints: { transactional: none, mailing_list: none, bulk: none },
  });
});

test.each([
  ['GetSuppression', {}],
  ['ClearBounceSuppression', {}],
  ['ClearComplaintSuppression', { message_class: 'BULK' }],
])('%s of a recipient without a record is not_found', async (method, fields) => {
  const { api } = await suppressionFixture();
  expect(await api.call(`/suppression/${method}`, { recipient: 'ann@elsewhere.test', ...fields })).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
