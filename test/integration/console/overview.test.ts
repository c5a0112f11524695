import type { Page, Route } from 'playwright-core';
import { describeProblem } from '../../../contract/admin/problems.ts';
import { describeWith, sandboxUser } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { sendMail, uniqueSubject } from '../send-by-smtp.ts';
import { consoleBrowser, intercept, open, respondWith, settled, violations } from './console-browser.ts';

const browser = consoleBrowser();

/** The method of every chart, and of the line that says whether mail flows. */
const method = 'monitoring/GetMetricSeries';

const overview = async (): Promise<Page> => {
  const page = await browser.signedInPage();
  await open(page, '/', 'Overview');
  return page;
};

/** Messages of the last hour, by the first line of the overview. */
const messagesIn = async (page: Page): Promise<number> => {
  const line = await page
    .getByText(/\d+ in, \d+ out in the last hour|No mail came in/)
    .first()
    .textContent();
  return Number(/([\d,]+) in,/.exec(line ?? '')?.[1]?.replace(',', '') ?? 0);
};

describeWith(
  'users',
  'smtp',
  'emulator',
)('the overview', () => {
  test('counts a message that arrives, in words and in the chart of the chosen time', async () => {
    const page = await overview();
    const before = await messagesIn(page);
    await sendMail([sandboxUser('alice').email], { subject: uniqueSubject('Seen in the overview'), text: 'Hello' });
    await eventually(async () => {
      await page.reload();
      expect(await messagesIn(page)).toBeGreaterThan(before);
    });
    await page.getByRole('button', { name: 'Week', exact: true }).click();
    await page.waitForURL(/[?]time=week$/);
    await page.getByRole('application', { name: 'Mail', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('application', { name: 'Mail', exact: true }).waitFor();
  });

  test('reads its figures again every minute, unless this is paused', async () => {
    const page = await browser.signedInPage();
    await page.clock.install();
    let calls = 0;
    page.on('request', (request) => {
      if (request.url().endsWith(method) && request.method() === 'POST') calls += 1;
    });
    await open(page, '/', 'Overview');
    await page.getByRole('heading', { level: 2, name: 'Mail', exact: true }).waitFor();
    await settled(page);
    const first = calls;
    await page.clock.fastForward(61_000);
    await eventually(async () => expect(calls).toBeGreaterThan(first));
    await page.getByLabel('Refresh every minute').uncheck();
    await settled(page);
    const paused = calls;
    await page.clock.fastForward(600_000);
    await settled(page);
    expect(calls).toBe(paused);
  });

  test('names messages that could not be processed, and links to the queues', async () => {
    const page = await browser.signedInPage();
    const points = (value: number) => [{ timestamp: new Date().toISOString(), value }];
    const count = (metric: string, value: number, resource?: string) => ({
      metric,
      unit: 'COUNT',
      points: points(value),
      ...(resource !== undefined && { resource }),
    });
    const restore = await intercept(
      page,
      method,
      respondWith(200, {
        period_seconds: 60,
        series: [
          count('MAIL_RECEIVED', 312),
          count('MAIL_SENT', 87),
          count('QUEUE_WAITING', 0, 'InboundMail/Waiting'),
          count('DEAD_LETTERS', 2, 'InboundMail/Waiting/DeadLetters'),
        ],
      }),
    );
    await open(page, '/', 'Overview');
    await page.getByText('Mail flows. 312 in, 87 out in the last hour. Nothing waits.').waitFor();
    await page.getByText('2 messages could not be processed: Received mail.').waitFor();
    await restore();
    await page.getByRole('link', { name: 'See the queues' }).click();
    await page.waitForURL('**/queues');
  });

  test('says each thing once, the worst first, and that nothing needs attention only when that is so', async () => {
    const page = await browser.signedInPage();
    const names = Array.from({ length: 7 }, (_, index) => `branch-${index}.example`);
    const problems = [
      ...names.map((subject) => describeProblem({ name: 'DOMAIN_NOT_VERIFIED', subject }, '2026-11-30T10:00:00.000Z')),
      describeProblem({ name: 'DEAD_LETTERS', subject: 'InboundMail/Waiting' }, '2026-11-30T10:00:00.000Z'),
    ];
    const issues = problems.map(({ name, severity, title, meaning, next_step: step }) => ({
      type: name,
      severity,
      title,
      likely_cause: meaning,
      suggested_action: step,
    }));
    const readiness = (found: readonly object[]) => async (route: Route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { readiness: object };
      await route.fulfill({ response, json: { readiness: { ...body.readiness, complete: true, health_issues: found } } });
    };
    const watched = { watched_at: '2026-11-30T10:05:00.000Z', is_subscribed: false, is_anybody_notified: true, next_page_token: '' };
    const restores = [
      await intercept(page, 'setup/GetReadiness', readiness(issues)),
      await intercept(page, 'status/ListProblems', respondWith(200, { problems, ...watched })),
    ];
    await open(page, '/', 'Overview');
    const list = page.getByRole('list', { name: 'Needs attention' });
    await list.getByText('7 domains are not verified yet').waitFor();
    const items = await list.getByRole('listitem').allTextContents();
    expect(items).toHaveLength(2);
    expect(items[0]).toContain('Messages in InboundMail/Waiting could not be handled');
    expect(items[1]).toContain('branch-0.example, branch-1.example, branch-2.example, branch-3.example, branch-4.example and 2 more');
    const text = await page.locator('main').textContent();
    expect([...text!.matchAll(/branch-0\.example/g)]).toHaveLength(1);
    expect(text).not.toContain('Everything is set up');
    await expect(violations(page)).resolves.toEqual([]);
    for (const restore of restores) await restore();
    await intercept(page, 'setup/GetReadiness', readiness([]));
    await intercept(page, 'status/ListProblems', respondWith(200, { problems: [], ...watched }));
    await page.reload();
    await page.getByText(/^(?:Everything is set up, and nothing needs attention|Nothing else needs attention)\.$/).waitFor();
    await page.context().close();
  });
});
