import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { isOver, reportTable, type ReportLine } from '../../bench/report-table.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { startBrowser } from '../console/signed-in-console.ts';
import { measureActs, type ActsDependencies } from './acts-load.ts';
import { countRequests, line, longestTask, press, timeTo, watch } from './bench-page.ts';
import { measureComposer } from './composer-load.ts';
import { personWithMail, type Person } from './large-mailbox.ts';

/** `npm run bench:webmail -- --outputs .postrider/sandbox.json [--runs 5] [--messages 100000]`: see test/bench/README.md. */
const { values } = parseArgs({
  options: {
    outputs: { type: 'string', default: '.postrider/sandbox.json' },
    runs: { type: 'string', default: '5' },
    messages: { type: 'string', default: '100000' },
  },
});
const sandbox = JSON.parse(readFileSync(values.outputs, 'utf8')) as SandboxDescription;
const [runs, messages] = [Number(values.runs), Number(values.messages)];
const { webmailUrl } = sandbox;
const person = sandbox.users.find(({ isAdmin, accountId }) => !isAdmin && accountId !== undefined)!;

/** A phone: 1.6 Mbit/s, 150 ms to the server, and a CPU that is four times slower. */
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 };
const cpuSlowdown = 4;

const signIn = async (page: Page, { email, password }: Person): Promise<void> => {
  const field = (name: string) => page.locator(`input[name="${name}"]:visible`).first();
  await page.goto(webmailUrl);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await field('username').fill(email);
  if (!(await field('password').isVisible())) await field('username').press('Enter');
  await field('password').fill(password);
  await field('password').press('Enter');
  await page.getByRole('grid').waitFor();
};

type Visit = {
  readonly shown: number;
  readonly gate: number;
  readonly scripts: number;
  readonly octets: number;
  readonly files: number;
  readonly requests: number;
};

const visit = async (page: Page): Promise<Visit> => {
  const counted = countRequests(page, sandbox.jmapUrl);
  await page.goto(webmailUrl);
  const found = await page.evaluate<Omit<Visit, 'requests'>>(`listShown.then((shown) => {
    const files = performance.getEntriesByType('resource').filter(({ name }) => name.startsWith(location.origin));
    const scripts = files.filter(({ name }) => name.endsWith('.js'));
    const sum = (list) => list.reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
    return { shown, gate: sum(scripts.slice(0, 1)), scripts: sum(scripts), octets: sum(files), files: files.length + 1 };
  })`);
  return { ...found, requests: counted() };
};

const slowDown = async (session: CDPSession): Promise<void> => {
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
};

/** Milliseconds from the frame of a push to the row on the screen. */
const pushToPaint = async (page: Page): Promise<number> => {
  let frameAt = 0;
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('StateChange')) frameAt ||= performance.now();
    }),
  );
  await page.goto(webmailUrl);
  await page.getByRole('grid').waitFor();
  await page.waitForTimeout(2000);
  frameAt = 0;
  const subject = `Push ${Date.now()}`;
  spawnSync('npm', ['run', '-s', 'send', '--', '--from', 'friend@elsewhere.test', '--to', person.email, '--subject', subject]);
  await page.getByRole('gridcell').filter({ hasText: subject }).waitFor();
  return performance.now() - frameAt;
};

/** Signs in with a new profile of the browser. */
const signedIn = async (browser: Browser, who: Person): Promise<BrowserContext> => {
  const context = await browser.newContext();
  // The first request for a large account reads all its rows.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await signIn(page, who);
  // The browser has kept the first page by then.
  await page.waitForTimeout(3000);
  await page.close();
  return context;
};

/** Opens a page of the web mail in a new profile of the browser. */
const openedPage = async (browser: Browser, who: Person, path = '/'): Promise<Page> => {
  const page = await (await signedIn(browser, who)).newPage();
  await page.addInitScript({ content: watch });
  await page.goto(`${webmailUrl}${path}`);
  await page.evaluate('listShown');
  return page;
};

/** Milliseconds for which the list is scrolled. */
const scrollFor = 10_000;

const scrollLargeMailbox = async (browser: Browser) => {
  const context = await signedIn(browser, await personWithMail(sandbox, messages));
  const page = await context.newPage();
  await page.addInitScript({ content: watch });
  await visit(page);
  const total = Number(await page.getByRole('grid').getAttribute('aria-rowcount'));
  await page.waitForTimeout(1000);
  await longestTask(page);
  let rows = 0;
  for (const begun = performance.now(); performance.now() - begun < scrollFor;) {
    await page.evaluate(`document.querySelector('[role=grid]').scrollBy(0, 400)`);
    rows = Math.max(rows, await page.locator('[role=row]').count());
  }
  await page.evaluate(`document.querySelector('[role=grid]').scrollTo(0, 1e9)`);
  await page.locator(`[aria-rowindex="${total}"] .row-top`).waitFor();
  const longest = await longestTask(page);
  await (await context.newCDPSession(page)).send('HeapProfiler.collectGarbage');
  const heap = await page.evaluate<number>('performance.memory.usedJSHeapSize / 1e6');
  await context.close();
  return { total, rows, longest, heap };
};

const measure = async (browser: Browser) => {
  const context = await signedIn(browser, person);
  const [first, later]: Visit[][] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await page.addInitScript({ content: watch });
    await page.goto(`${webmailUrl}/message.html`);
    await page.evaluate('localStorage.clear()');
    await slowDown(session);
    await session.send('Network.clearBrowserCache');
    first!.push(await visit(page));
    await page.waitForTimeout(3000);
    later!.push(await visit(page));
    await page.close();
  }
  const page = await context.newPage();
  await page.addInitScript({ content: watch });
  await visit(page);
  await page.waitForTimeout(2000);
  const opened = await page.evaluate<number>(timeTo(`document.querySelectorAll('[role=gridcell]')[1].click()`, '.message-body'));
  await page.waitForTimeout(1000);
  const acted = await page.evaluate<number>(timeTo(press('U'), '.is-open.is-unread'));
  await page.close();
  const pushed = await pushToPaint(await context.newPage());
  await context.close();
  return { first: first!, later: later!, opened, acted, pushed };
};

const browser = await startBrowser();
const { first, later, opened, acted, pushed } = await measure(browser);
const { total, rows, longest, heap } = await scrollLargeMailbox(browser);
const dependencies: ActsDependencies = { sandbox, open: (who, path) => openedPage(browser, who, path) };
const acts = await measureActs(dependencies);
const composer = await measureComposer(dependencies);
await browser.close();

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const of = (visits: readonly Visit[], name: keyof Visit): number => median(visits.map((each) => each[name]));
const lines: readonly ReportLine[] = [
  line('gate, compressed', of(first, 'gate'), 'octets', 12_000),
  line('scripts before the list, compressed', of(first, 'scripts'), 'octets', 120_000),
  line('all files before the list, compressed', of(first, 'octets'), 'octets', 150_000, `${of(first, 'files')} files`),
  line('files before the list', of(first, 'files'), 'files', 8),
  line('first visit: JMAP requests before the list', of(first, 'requests'), 'requests', 2),
  line('later visit: JMAP requests before the list', of(later, 'requests'), 'requests', 1),
  line('first visit: list shown', of(first, 'shown'), 'ms', 2500, `1.6 Mbit/s, 150 ms, CPU ${cpuSlowdown} times slower`),
  line('later visit: list shown', of(later, 'shown'), 'ms', 1000),
  line('a message that was read ahead is open', opened, 'ms', 100),
  line('an act is shown', acted, 'ms', 50),
  line('rows mounted while scrolling', rows, 'rows', 60, `${messages} messages in ${total} conversations`),
  line('longest task while scrolling', longest, 'ms', 50),
  line('heap after scrolling to the end', heap, 'MB', 60),
  line('push to paint', pushed, 'ms', 500),
  ...acts,
  ...composer,
];
console.log(`The web mail of ${person.email}, medians of ${runs} visits\n\n${reportTable(lines)}`);
process.exitCode = lines.some(isOver) ? 1 : 0;
