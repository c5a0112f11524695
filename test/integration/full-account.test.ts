import { randomUUID } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { createAdminClient } from '../../contract/client.ts';
import { waitingMail } from '../../contract/deployment/waiting-mail.ts';
import { receiptRulePrefix } from '../../core/aws/ses/receiving/receipt-rules.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { composeMessage } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';

describeWith('emulator')('mail that waits for room in a full account', () => {
  const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
  const [s3, sns, cloudWatch] = [S3Client, SNSClient, CloudWatchClient].map((Client) => new Client(awsClientConfig(deployed))) as
    [S3Client, SNSClient, CloudWatchClient];
  const hoursAgo = 5;
  let account: Awaited<ReturnType<typeof createUserWithAccount>>;
  beforeAll(async () => {
    account = await createUserWithAccount(await adminMachineToken(), `full-${randomUUID().slice(0, 8)}`);
    await admin.accounts.UpdateAccount({ account_id: account.account.account_id, max_emails: 1 });
  });
  afterAll(async () => {
    await admin.accounts.DeleteAccount({ account_id: account.account.account_id });
    await admin.users.DeleteUser({ user_id: account.user.user_id });
    for (const client of [s3, sns, cloudWatch]) client.destroy();
  });

  /** Does what SES does with a message that it received some hours ago. */
  const arrive = async (subject: string): Promise<void> => {
    const { mailBucketName: bucketName, inboundTopicArn: topicArn } = deployed.outputs;
    const [messageId, from, to] = [`test-${randomUUID()}`, 'carol@elsewhere.test', account.email];
    const objectKey = objectKeys.inbound(`${receiptRulePrefix}1`, messageId);
    await s3.send(new PutObjectCommand({ Bucket: bucketName, Key: objectKey, Body: await composeMessage({ from, to, subject, text: 'Hello' }) }));
    const timestamp = new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
    await sns.send(new PublishCommand({ TopicArn: topicArn, Message: JSON.stringify({
      notificationType: 'Received', mail: { timestamp, source: from, messageId, destination: [to] },
      receipt: { timestamp, recipients: [to], action: { type: 'S3', topicArn, bucketName, objectKey } },
    }) }));
  };
  const waiting = async () => (await admin.monitoring.GetOverview({})).queues.find(({ name }) => name === waitingMail.name)!;

  test('is in the overview, in the series and among the health issues with its true age, and starts the alarm', async () => {
    expect(await waiting()).toMatchObject({ approx_messages_delayed: 0, approx_age_oldest_seconds: 0 });
    await arrive('one');
    await arrive('two');
    // The invitation of the account's owner may wait too.
    await eventually(async () => { expect((await waiting()).approx_messages_delayed).toBeGreaterThanOrEqual(1); });
    expect(await waiting()).toMatchObject({ approx_messages_visible: 0 });
    expect((await waiting()).approx_age_oldest_seconds).toBeGreaterThanOrEqual(hoursAgo * 3600);
    const { series } = await admin.monitoring.GetMetricSeries({ metrics: ['QUEUE_WAITING', 'QUEUE_AGE'], lookback_minutes: 60 });
    const [count, age] = series.filter(({ resource }) => resource === waitingMail.name).map(({ points }) => points.at(-1)!.value);
    expect([count! >= 1, age! >= hoursAgo * 3600]).toEqual([true, true]);
    expect((await admin.setup.GetReadiness({})).readiness.health_issues).toEqual(expect.arrayContaining([expect.objectContaining({
      type: 'MAIL_WAITING', severity: 'WARNING', title: expect.stringMatching(`^About \\d+ messages? waits? for room in full accounts, the oldest for ${hoursAgo} hours$`),
    })]));
    const { MetricAlarms: alarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({}));
    expect(alarms.find(({ MetricName: name }) => name === waitingMail.metric)).toMatchObject({ StateValue: 'ALARM' });
  });
});
