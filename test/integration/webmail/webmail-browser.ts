import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openChromium, signInOnPage, type Person } from '../chromium.ts';
import { deployed } from '../deployment.ts';

/** The URL of the web mail, without a slash at its end. */
export const webmailUrl = deployed.outputs['webmailUrl']!;

/**
 * Milliseconds after which a wait for the page counts as hanging. On a busy machine a Lambda or the browser may take longer
 * than playwright's default of 30 seconds.
 */
const longestWait = 300_000;

/** Milliseconds of a task of the page that hold it for a person. The slowest mails without limits took more than 8 s. */
const longestTask = 1_000;

/** Origins that pages of the web mail may call. */
const origins = new Set(
  ['webmailUrl', 'jmapUrl', 'uploadUrl', 'downloadUrl', 'authUrl', 'webSocketUrl'].map((output) => URL.parse(deployed.outputs[output] ?? '')?.host),
);

const recordTasks = `globalThis.longestTask = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration);
}).observe({ type: 'longtask', buffered: true });`;

/**
 * Starts a browser for the tests of a file, and closes it after them. A test fails when a script of a page fails, when a page
 * violates its content security policy, or when anything is requested of another server.
 */
export const webmailBrowser = () => {
  let browser: Browser;
  const faults: string[] = [];
  /** Hosts that a test allows. */
  const allowed = new Set<string>();
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterEach(() => {
    allowed.clear();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(() => browser?.close());

  const newContext = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', timezoneId: 'UTC', ...options });
    context.setDefaultTimeout(longestWait);
    context.on('weberror', (error) => faults.push(error.error().message));
    context.on('console', (message) => {
      // The parser of a frame refuses the base of a mail before it is sanitized.
      if (/Content Security Policy|Trusted/.test(message.text()) && !message.text().includes('base URI')) faults.push(message.text());
    });
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (!['blob:', 'data:', 'about:'].includes(url.protocol) && !origins.has(url.host) && !allowed.has(url.host)) faults.push(`requested ${request.url()}`);
    });
    await context.addInitScript({ content: recordTasks });
    return context;
  };
  return {
    newContext,
    /** Lets pages of this test call another host. */
    allow: (host: string) => allowed.add(host),
    /** Opens a window of a new browser profile, signed in. */
    async signedInPage(person: Person = 'alice', options: BrowserContextOptions = {}): Promise<Page> {
      const page = await (await newContext(options)).newPage();
      await signInToWebmail(page, person);
      return page;
    },
  };
};

/** Signs in from the first page of the web mail, and waits for the list. */
export const signInToWebmail = async (page: Page, person: Person): Promise<void> => {
  await page.goto(webmailUrl);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signInOnPage(page, person);
  await page.waitForURL(`${webmailUrl}/**`);
  await page.getByRole('grid', { name: 'Messages' }).waitFor();
};

/** A row of the list by the text in it. */
export const row = (page: Page, text: string) => page.getByRole('gridcell').filter({ hasText: text });

/** The frame that shows the HTML of the open message. */
export const messageFrame = (page: Page) => page.frameLocator('iframe.message-frame').last();

/** Waits until a conversation is open. @throws Error with what the page shows instead. */
export const conversation = async (page: Page, subject: string): Promise<void> => {
  try {
    await page.getByRole('heading', { level: 2, name: subject }).waitFor();
  } catch (error) {
    const shows = await page.evaluate<string>('location.href + " focus: " + document.activeElement.outerHTML.slice(0, 200) + "\\n" + document.body.innerText');
    throw new Error(`${subject} is not open. The page shows: ${shows}`, { cause: error });
  }
};

/** @throws Error when a task held the page for longer than a person bears. */
export const expectNoLongTask = async (page: Page): Promise<void> => {
  expect(await page.evaluate<number>('globalThis.longestTask')).toBeLessThan(longestTask);
};
