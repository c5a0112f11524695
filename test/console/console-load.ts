import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { isOver, reportTable, type ReportLine } from '../../bench/report-table.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { signInAsAdmin, startBrowser } from './signed-in-console.ts';

/** `npm run bench:console -- --outputs .postrider/sandbox.json [--runs 9] [--path /]`: see test/bench/README.md. */
const { values } = parseArgs({
  options: { outputs: { type: 'string', default: '.postrider/sandbox.json' }, runs: { type: 'string', default: '9' }, path: { type: 'string', default: '/' } },
});
const sandbox = JSON.parse(readFileSync(values.outputs, 'utf8')) as SandboxDescription;
const runs = Number(values.runs);

/** Budgets of the first page: milliseconds on a CPU that is four times slower, and octets of scripts and styles. */
const budgets = { interactive: 2000, octets: 500_000 } as const;
const cpuSlowdown = 4;

/** One load of a page. Times are in milliseconds since navigation began. */
type Load = {
  readonly heading: number;
  readonly interactive: number;
  /** Octets of scripts and styles, as transferred (compressed). */
  readonly octets: number;
  readonly files: number;
};

/**
 * Script that runs in the page from its start: it records when the page has its title, clicks the first menu of the
 * header, and records when the menu is open.
 */
const watchLoad = `globalThis.loadTimes = new Promise((resolve) => {
  const times = {};
  let isClicked = false;
  const look = () => {
    const menu = document.querySelector('#header button[aria-haspopup]');
    if (document.querySelector('h1') && menu) {
      times.heading ??= performance.now();
      if (menu.getAttribute('aria-expanded') === 'true') return resolve({ ...times, interactive: performance.now() });
      if (!isClicked) { isClicked = true; menu.click(); }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});`;

const measureLoad = async (page: Page): Promise<Load> => {
  await page.goto(`${sandbox.consoleUrl}${values.path}`);
  return page.evaluate<Load>(`loadTimes.then((times) => {
    const files = performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css)$/.test(name));
    return { ...times, files: files.length, octets: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) };
  })`);
};

/** Opens a slow page that has the tokens of a sign-in. */
const slowPage = async (context: BrowserContext, tokens: Record<string, string>): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(`${sandbox.consoleUrl}/config.json`);
  await page.evaluate((entries) => {
    for (const [name, value] of Object.entries(entries)) sessionStorage.setItem(name, value);
  }, tokens);
  await page.addInitScript(watchLoad);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  return page;
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
    const fresh = await browser.newContext();
    const slow = await slowPage(fresh, tokens);
    first.push(await measureLoad(slow));
    again.push(await measureLoad(slow));
    await fresh.close();
  }
} finally {
  await browser.close();
}

const timeLine = (what: string, times: readonly number[], atMost?: number): ReportLine => ({
  what,
  figure: median(times),
  unit: 'ms',
  note: spread(times),
  ...(atMost !== undefined && { atMost }),
});
const lines: readonly ReportLine[] = [
  {
    what: 'scripts and styles, compressed',
    figure: median(first.map(({ octets }) => octets)),
    unit: 'octets',
    atMost: budgets.octets,
    note: `${median(first.map(({ files }) => files))} files`,
  },
  timeLine(
    'first load: title shown',
    first.map(({ heading }) => heading),
  ),
  timeLine(
    'first load: a menu opens',
    first.map(({ interactive }) => interactive),
    budgets.interactive,
  ),
  timeLine(
    'load from the cache: a menu opens',
    again.map(({ interactive }) => interactive),
  ),
];
console.log(`${values.path} of the console, on a CPU that is ${cpuSlowdown} times slower\n\n${reportTable(lines)}`);
process.exitCode = lines.some(isOver) ? 1 : 0;
