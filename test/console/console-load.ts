import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { isOver, reportTable, type ReportLine } from '../../bench/report-table.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { signInAsAdmin, startBrowser } from './signed-in-console.ts';

/** `npm run bench:console -- --outputs .postrider/sandbox.json [--runs 9] [--path /]`: see test/bench/README.md. */
const { values } = parseArgs({
  options: { outputs: { type: 'string', default: '.postrider/sandbox.json' }, runs: { type: 'string', default: '9' }, path: { type: 'string', default: '/' } },
});
const sandbox = JSON.parse(readFileSync(values.outputs, 'utf8')) as SandboxDescription;
const runs = Number(values.runs);

/** A phone: 1.6 Mbit/s, 150 ms to the servers, and a CPU that is four times slower. */
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 };
const cpuSlowdown = 4;

const budgets = { octets: 375_000, requests: 11, preflights: 0 } as const;

/** One load of a page. Times are in milliseconds since navigation began. */
type Load = {
  /** The first text or picture. */
  readonly painted: number;
  /** The title of the page, in its frame. */
  readonly title: number;
  /** The first part of the page that has what was read. */
  readonly content: number;
  readonly interactive: number;
  /** Octets of all files of the console, as transferred: compressed, with their headers. */
  readonly octets: number;
  /** Octets of scripts and styles alone, without headers. */
  readonly code: number;
  readonly files: number;
  /** Calls of the admin API, and the requests of the browser whether it may call another origin (CORS). */
  readonly calls: number;
  readonly preflights: number;
};

/**
 * Script that runs in the page from its start: it records when the page has its title and its first part, clicks the
 * first menu of the header, and records when the menu is open.
 */
const watchLoad = `globalThis.loadTimes = new Promise((resolve) => {
  const times = {};
  let isClicked = false;
  const look = () => {
    const menu = document.querySelector('#header button[aria-haspopup]');
    if (document.querySelector('#content h1')) {
      times.title ??= performance.now();
      const busy = document.querySelectorAll('#content [aria-busy]').length;
      times.busy ??= busy;
      if (busy < times.busy || busy === 0) times.content ??= performance.now();
      if (menu) {
        if (menu.getAttribute('aria-expanded') === 'true') times.interactive ??= performance.now();
        if (!isClicked) { isClicked = true; menu.click(); }
      }
      if (times.interactive && times.content) return resolve(times);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});`;

/** Milliseconds without a request after which a page has loaded all. */
const quietTime = 3000;

const measureLoad = async (page: Page, session: CDPSession): Promise<Load> => {
  let [octets, calls, preflights, lastAt] = [0, 0, 0, 0];
  const own = new Set<string>();
  let hasEnded = false;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (hasEnded) return;
    lastAt = performance.now();
    if (request.method === 'OPTIONS') preflights += 1;
    else if (request.url.startsWith(sandbox.consoleUrl)) {
      if (request.method === 'POST') calls += 1;
      else own.add(requestId);
    }
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    lastAt = performance.now();
    if (own.has(requestId)) octets += encodedDataLength;
  });
  await page.goto(`${sandbox.consoleUrl}${values.path}`);
  const times = await page.evaluate<Pick<Load, 'title' | 'content' | 'interactive'>>('loadTimes');
  while (performance.now() - lastAt < quietTime) await delay(100);
  hasEnded = true;
  const found = await page.evaluate<Pick<Load, 'painted' | 'files' | 'code'>>(`(() => {
    const files = performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css)$/.test(name));
    return {
      painted: performance.getEntriesByName('first-contentful-paint')[0].startTime,
      files: files.length,
      code: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    };
  })()`);
  return { ...times, ...found, octets, calls, preflights };
};

/** Opens a slow page that has the tokens of a sign-in. */
const slowPage = async (context: BrowserContext, tokens: Record<string, string>): Promise<{ readonly page: Page; readonly session: CDPSession }> => {
  const page = await context.newPage();
  await page.goto(`${sandbox.consoleUrl}/config.json`);
  await page.evaluate((entries) => {
    for (const [name, value] of Object.entries(entries)) sessionStorage.setItem(name, value);
  }, tokens);
  await page.addInitScript(watchLoad);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  return { page, session };
};

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
const spread = (numbers: readonly number[]): string => `${Math.round(Math.min(...numbers))} to ${Math.round(Math.max(...numbers))} ms in ${runs} runs`;

const browser = await startBrowser();
const first: Load[] = [];
const again: Load[] = [];
try {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signInAsAdmin(page, sandbox);
  const tokens = await page.evaluate<Record<string, string>>('({ ...sessionStorage })');
  await context.close();
  for (let run = 0; run < runs; run++) {
    // A context of its own has an empty cache.
    const fresh = await browser.newContext(phone);
    const { page: slow, session } = await slowPage(fresh, tokens);
    first.push(await measureLoad(slow, session));
    again.push(await measureLoad(slow, session));
    await fresh.close();
  }
} finally {
  await browser.close();
}

type Times = 'painted' | 'title' | 'content' | 'interactive';
const timeLine = (what: string, loads: readonly Load[], time: Times): ReportLine => {
  const times = loads.map((load) => load[time]);
  return { what, figure: median(times), unit: 'ms', note: spread(times) };
};
const count = (what: string, loads: readonly Load[], counted: Exclude<keyof Load, Times>, unit: string, atMost?: number): ReportLine => ({
  what,
  figure: median(loads.map((load) => load[counted])),
  unit,
  ...(atMost !== undefined && { atMost }),
});
const lines: readonly ReportLine[] = [
  count('first load: all files, as transferred', first, 'octets', 'octets', budgets.octets),
  count('first load: scripts and styles, compressed', first, 'code', 'octets'),
  count('first load: scripts and styles', first, 'files', 'files', budgets.requests),
  count('first load: calls of the API', first, 'calls', 'calls'),
  count('first load: preflights', first, 'preflights', 'requests', budgets.preflights),
  timeLine('first load: painted', first, 'painted'),
  timeLine('first load: title of the page', first, 'title'),
  timeLine('first load: a part has its content', first, 'content'),
  timeLine('first load: a menu opens', first, 'interactive'),
  count('from the cache: all files, as transferred', again, 'octets', 'octets'),
  timeLine('from the cache: painted', again, 'painted'),
  timeLine('from the cache: title of the page', again, 'title'),
  timeLine('from the cache: a part has its content', again, 'content'),
  timeLine('from the cache: a menu opens', again, 'interactive'),
];
console.log(`${values.path} of the console, on a phone: 1.6 Mbit/s, 150 ms, and a CPU that is ${cpuSlowdown} times slower\n\n${reportTable(lines)}`);
process.exitCode = lines.some(isOver) ? 1 : 0;
