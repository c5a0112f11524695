import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request, Route } from 'playwright-core';
import type { Domain } from '../../../contract/admin/domains.ts';
import type { User } from '../../../contract/admin/users.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { ok } from '../admin-calls.ts';
import { openChromium, signInOnPage } from '../chromium.ts';
import { deployed, type sandboxUser } from '../deployment.ts';

/** The URL of the console, without a slash at its end. */
export const consoleUrl = deployed.outputs['consoleUrl']!;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Milliseconds after which a wait for the page counts as hanging. On a busy machine a Lambda or the browser may take longer
 * than playwright's default of 30 seconds.
 */
const longestWait = 300_000;

type PersonName = Parameters<typeof sandboxUser>[0];

/** Options of a test's window. The content security policy is enforced unless `bypassCSP` is set. */
export type WindowOptions = BrowserContextOptions & { readonly person?: PersonName };

/** The browser of a test file. */
type ConsoleBrowser = {
  /** Opens a window with a page without sign-in. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /**
   * Opens a window with an empty page of the console, signed in as a person (default: the admin). The person signs in at
   * the hosted page once for each file; the other windows get a copy of the tokens.
   */
  signedInPage(options?: WindowOptions): Promise<Page>;
};

/** A tab's sessionStorage, which contains the sign-in. */
type Tokens = Record<string, string>;

/** Opens the console and signs in at the hosted page. */
export const signInToConsole = async (page: Page, person: PersonName = 'admin', path = '/'): Promise<void> => {
  await page.goto(`${consoleUrl}${path}`);
  await signInOnPage(page, person);
  await page.waitForURL(`${consoleUrl}/**`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
};

const tokensIn = (page: Page): Promise<Tokens> => page.evaluate<Tokens>('({ ...sessionStorage })');

const putTokens = async (page: Page, tokens: Tokens): Promise<void> => {
  await page.goto(`${consoleUrl}/config.json`);
  await page.evaluate((entries) => {
    for (const [name, value] of Object.entries(entries)) sessionStorage.setItem(name, value);
  }, tokens);
};

/** Calls of the admin API that a page waits for. */
const pendingCalls = new WeakMap<Page, Set<Request>>();

/** Whether a request of the console is a call of the admin API: pages and files are read by GET. */
export const isCall = (request: Request): boolean => request.method() === 'POST' && request.url().startsWith(consoleUrl);

const countCalls = (page: Page): void => {
  const pending = new Set<Request>();
  pendingCalls.set(page, pending);
  page.on('request', (request) => {
    if (isCall(request)) pending.add(request);
  });
  page.on('requestfinished', (request) => {
    pending.delete(request);
  });
  page.on('requestfailed', (request) => {
    pending.delete(request);
  });
};

/**
 * Waits until the page has shown the data that it read: twice in a row, no call is pending after its scripts are idle.
 */
export const settled = async (page: Page): Promise<void> => {
  for (let quiet = 0; quiet < 2;) {
    await page.evaluate('new Promise((resolve) => { requestIdleCallback(() => resolve()); })');
    quiet = pendingCalls.get(page)?.size === 0 ? quiet + 1 : 0;
    if (quiet === 0) await delay(20);
  }
};

/**
 * Starts a browser for the tests of a file, and closes it after them. A test fails when a script of a page fails, or
 * when a page violates its content security policy.
 */
export const consoleBrowser = (): ConsoleBrowser => {
  let browser: Browser;
  const tokens = new Map<PersonName, Promise<Tokens>>();
  const faults: string[] = [];
  beforeAll(async () => {
    browser = await openChromium();
  });
  afterEach(() => {
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(() => browser?.close());

  const watch = (context: BrowserContext): BrowserContext => {
    context.on('weberror', (error) => faults.push(error.error().message));
    context.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) faults.push(message.text());
    });
    return context;
  };
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = watch(await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', timezoneId: 'UTC', ...options }));
    context.setDefaultTimeout(longestWait);
    const page = await context.newPage();
    countCalls(page);
    return page;
  };
  const signIn = async (person: PersonName): Promise<Tokens> => {
    const page = await newPage();
    await signInToConsole(page, person);
    const found = await tokensIn(page);
    await page.context().close();
    return found;
  };
  return {
    newPage,
    async signedInPage({ person = 'admin', ...options } = {}) {
      const known = tokens.get(person) ?? signIn(person);
      tokens.set(person, known);
      const page = await newPage(options);
      await putTokens(page, await known);
      return page;
    },
  };
};

/** Opens a page by its path and waits for its title. */
export const open = async (page: Page, path: string, title: string): Promise<void> => {
  await page.goto(`${consoleUrl}${path}`);
  await page.getByRole('heading', { level: 1, name: title }).first().waitFor();
};

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** The rules that axe checks: WCAG 2 at the levels A and AA, or single rules. */
type Rules = { readonly runOnly: readonly string[] };
const wcag: Rules = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] };
export const contrast: Rules = { runOnly: ['color-contrast'] };
export const targetSize: Rules = { runOnly: ['target-size'] };
export const landmarks: Rules = { runOnly: ['landmark-one-main', 'region'] };

/** The violations that axe finds on the page. */
export const violations = async (page: Page, rules = wcag): Promise<string[]> => {
  await page.evaluate(`typeof axe === 'undefined' && (() => {${axe}})()`);
  const { violations: found } = await page.evaluate<{ readonly violations: readonly Violation[] }>(
    `axe.run(${JSON.stringify({ ...rules, resultTypes: ['violations'] })})`,
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
};

/** Pixels by which the page is wider than its window. */
export const overhang = (page: Page): Promise<number> => page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Calls an admin method directly instead of by the console. The call must succeed. */
export const callAdmin = async <T>(method: string, request: unknown = {}): Promise<T> => ok<T>(await adminMachineToken(), method, request);

/** A text that is different in each test. */
export const uniqueName = (text: string): string => `${text}-${randomUUID().slice(0, 8)}`;

/** Adds a domain by the admin API. Remove the domain at the end of the test. */
export const addDomain = async (): Promise<Domain> =>
  (await callAdmin<{ domain: Domain }>('domains/AddDomain', { domain: `${uniqueName('console')}.example` })).domain;

/** Creates a user by the admin API, without an account. Delete the user at the end of the test. */
export const createUser = async (request: { readonly display_name?: string } = {}): Promise<User> =>
  (await callAdmin<{ user: User }>('users/CreateUser', { email: `${uniqueName('person')}@elsewhere.example`, ...request })).user;

/**
 * Responds to the page's calls of an admin method, such as `domains/AddDomain`.
 * @returns a function that ends the interception.
 */
export const intercept = async (page: Page, method: string, answer: (route: Route) => Promise<unknown>): Promise<() => Promise<void>> => {
  const url = `${consoleUrl}/${method}`;
  await page.route(url, answer);
  return () => page.unroute(url, answer);
};

/** The id of the request in the responses of `respondWith`. */
export const interceptedRequestId = 'req-intercepted-1';

/** A response of the admin API for `intercept`. */
export const respondWith =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (route: Route): Promise<void> =>
    route.fulfill({ status, json: body, headers: { 'x-correlation-id': interceptedRequestId, ...headers } });

/** An error of the admin API for `intercept`. */
export const failWith = (status: number, code: string, message: string, headers?: Record<string, string>): ReturnType<typeof respondWith> =>
  respondWith(status, { code, message }, headers);
