import { randomUUID } from 'node:crypto';
import { createAdminClient } from '../../contract/client.ts';
import { waitingMail } from '../../contract/deployment/waiting-mail.ts';
import { adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { invokeLambda } from './invoke-lambda.ts';
import { composeMessage, putBehindSes } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';

describeWith('emulator')('mail that waits for room in a full account', () => {
  const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
  let account: Awaited<ReturnType<typeof createUserWithAccount>>;
  beforeAll(async () => {
    account = await createUserWithAccount(await adminMachineToken(), `full-${randomUUID().slice(0, 8)}`);
    await admin.accounts.UpdateAccount({ account_id: account.account.account_id, max_emails: 1 });
  });
  afterAll(async () => {
    await admin.accounts.DeleteAccount({ account_id: account.account.account_id });
    await admin.users.DeleteUser({ user_id: account.user.user_id });
  });

  const arrive = async (subject: string, hoursAgo: number): Promise<void> => {
    const [from, to] = ['carol@elsewhere.test', account.email];
    await putBehindSes([to], await composeMessage({ from, to, subject, text: 'Hello' }), new Date(Date.now() - hoursAgo * 3_600_000));
  };
  const waiting = async () => (await admin.monitoring.GetOverview({})).queues.find(({ name }) => name === waitingMail.name)!;

  test('is in the overview, in the series and among the health issues with its true age, and is a problem', async () => {
    // Mail of other tests may wait already, but not for so long.
    const before = await waiting();
    const hoursAgo = Math.floor((before.approx_age_oldest_seconds ?? 0) / 3600) + 5;
    await arrive('one', hoursAgo);
    await arrive('two', hoursAgo);
    // The invitation of the account's owner may wait too.
    await eventually(async () => {
      expect((await waiting()).approx_messages_delayed).toBeGreaterThan(before.approx_messages_delayed ?? 0);
    });
    expect(await waiting()).toMatchObject({ approx_messages_visible: 0 });
    expect((await waiting()).approx_age_oldest_seconds).toBeGreaterThanOrEqual(hoursAgo * 3600);
    const { series } = await admin.monitoring.GetMetricSeries({ metrics: ['QUEUE_WAITING', 'QUEUE_AGE'], lookback_minutes: 60 });
    const [count, age] = series.filter(({ resource }) => resource === waitingMail.name).map(({ points }) => points.at(-1)!.value);
    expect([count! >= 1, age! >= hoursAgo * 3600]).toEqual([true, true]);
    expect((await admin.setup.GetReadiness({})).readiness.health_issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'MAIL_WAITING',
          severity: 'WARNING',
          title: expect.stringMatching(`^About \\d+ messages? waits? for room in full accounts, the oldest for ${hoursAgo} hours$`),
        }),
      ]),
    );
    await invokeLambda('watch');
    const { problems } = await admin.status.ListProblems({ page_size: 100 });
    expect(problems.map(({ name }) => name)).toContain('MAIL_WAITING');
  });
});
