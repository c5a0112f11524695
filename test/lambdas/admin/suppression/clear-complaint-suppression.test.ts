import { suppressionFixture } from './suppression-fixture.ts';

test('ClearComplaintSuppression clears one message class only', async () => {
  const { api, complaint } = await suppressionFixture();
  await complaint('ann@elsewhere.test', 'BULK');
  await complaint('ann@elsewhere.test', 'MAILING_LIST');
  const { suppression } = await api.ok('/suppression/ClearComplaintSuppression', { recipient: 'ann@elsewhere.test', message_class: 'MESSAGE_CLASS_BULK' });
  expect(suppression).toMatchObject({
    complaints: { bulk: { level: 'NONE', count: 1 }, mailing_list: { level: 'PERMANENT', count: 1 }, transactional: { level: 'NONE', count: 0 } },
  });
});
