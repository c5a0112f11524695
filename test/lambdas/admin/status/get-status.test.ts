import { concurrencyStatus } from '../../../../lambdas/admin/status/get-status.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const api = adminApiPerTest();

const failing = async (): Promise<never> => {
  throw new Error('a secret detail');
};

test('GetStatus returns the SES account status and the Lambda concurrency limits', async () => {
  expect((await api.ok('/status/GetStatus'))['status']).toEqual({
    aws_account_id: '000000000000',
    aws_region: 'us-east-1',
    caller_email: 'admin@example.test',
    ses: {
      production_access_enabled: true,
      sandbox: false,
      sending_enabled: true,
      enforcement_status: 'HEALTHY',
      quota: { max_24h_send: 200, sent_last_24h: 50, remaining_24h_send: 150, max_send_rate_per_second: 1 },
      reputation: {},
    },
    lambda_concurrency: {
      account_limit: 10,
      unreserved_concurrency: 10,
      near_limit: true,
      warning: 'only 10 Lambdas can run at the same time; request more with a LAMBDA_CONCURRENCY_INCREASE change request',
    },
  });
});

test('GetStatus has no caller_email for a headless client', async () => {
  const { body } = await api.call('/status/GetStatus', {}, 'machine');
  expect(body['status']).not.toHaveProperty('caller_email');
});

test('GetStatus leaves only the part of a failed source empty, and neither returns nor logs the cause', async () => {
  api.emailProvider.accountStatus = failing;
  const first = (await api.ok('/status/GetStatus'))['status'];
  expect(first).toMatchObject({ ses: { quota: {}, reputation: {} }, lambda_concurrency: { account_limit: 10 } });
  api.concurrency.limits = failing;
  const second = await api.ok('/status/GetStatus');
  expect(second['status']).toMatchObject({ aws_region: 'us-east-1', ses: { quota: {}, reputation: {} }, lambda_concurrency: {} });
  expect(JSON.stringify([second, api.log.records])).not.toContain('secret detail');
  expect(api.log.records.filter(({ level }) => level === 'warn')).toHaveLength(3);
});

test('GetStatus returns the newest bounce and complaint rates of the last day', async () => {
  const rate = (metric: string, hoursAgo: number, value: number) => ({
    namespace: 'AWS/SES',
    metric,
    dimensions: {},
    at: new Date(Date.now() - hoursAgo * 3_600_000),
    value,
  });
  await api.metrics.measure([
    rate('Reputation.BounceRate', 3, 0.5),
    rate('Reputation.BounceRate', 1.5, 0.021),
    rate('Reputation.ComplaintRate', 30, 0.9),
    rate('Other', 1, 0.7),
    rate('Send', 300, 60),
    rate('Send', 1, 40),
  ]);
  const { ses } = (await api.ok('/status/GetStatus'))['status'] as { ses: { reputation: object } };
  expect(ses.reputation).toEqual({ bounce_rate: 0.021 });
});

test('GetStatus returns no rate of fewer than 100 messages in two weeks', async () => {
  const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000);
  const measured = (metric: string, hoursAgo: number, value: number) => ({ namespace: 'AWS/SES', metric, dimensions: {}, at: at(hoursAgo), value });
  await api.metrics.measure([measured('Reputation.BounceRate', 1, 0.5), measured('Send', 1, 99), measured('Send', 15 * 24, 1000)]);
  expect((await api.ok('/status/GetStatus'))['status']).toMatchObject({ ses: { reputation: {} } });
});

test('GetStatus returns the SES account status without CloudWatch, and the rates without the SES account status', async () => {
  const read = api.metrics.read;
  api.metrics.read = failing;
  expect((await api.ok('/status/GetStatus'))['status']).toMatchObject({
    ses: { sending_enabled: true, reputation: {} },
    lambda_concurrency: { account_limit: 10 },
  });
  api.metrics.read = read;
  const recent = { namespace: 'AWS/SES', dimensions: {}, at: new Date(Date.now() - 60_000) };
  await api.metrics.measure([
    { ...recent, metric: 'Reputation.ComplaintRate', value: 0.001 },
    { ...recent, metric: 'Send', value: 100 },
  ]);
  api.emailProvider.accountStatus = failing;
  expect((await api.ok('/status/GetStatus'))['status']).toMatchObject({ ses: { quota: {}, reputation: { complaint_rate: 0.001 } } });
});

test('concurrencyStatus has no warning for a sufficient or an unknown limit', () => {
  const sufficient = { account_limit: 1000, unreserved_concurrency: 900 };
  expect(concurrencyStatus(sufficient)).toEqual({ ...sufficient, near_limit: false });
  expect(concurrencyStatus({})).toEqual({});
});
