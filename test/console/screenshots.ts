import { readFileSync } from 'node:fs';
import { copyFile, mkdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { consolePaths, parameterOf } from './console-routes.ts';
import { fillWithPresentableData } from './presentable-data.ts';
import { signInAsAdmin, startBrowser } from './signed-in-console.ts';

/**
 * `npm run console:screenshots`: a screenshot of each page of the console, light and dark, for a desktop and a phone.
 */
const usage = `npm run console:screenshots -- [options]

  --outputs FILE   the sandbox.json of a running sandbox (default .postrider/sandbox.json). It is filled with people,
                   a domain and mail, so that the pictures look like a deployment in use; take a sandbox for it
  --to DIR         where the pictures are written (default .postrider/screenshots)
  --docs           also replace the pictures of docs/console.md`;

const { values } = parseArgs({ options: { outputs: { type: 'string' }, to: { type: 'string' }, docs: { type: 'boolean' }, help: { type: 'boolean' } } });
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const root = join(import.meta.dirname, '..', '..');
const folder = resolve(values.to ?? join(root, '.postrider', 'screenshots'));
const sandbox = JSON.parse(readFileSync(values.outputs ?? join(root, '.postrider', 'sandbox.json'), 'utf8')) as SandboxDescription;

/** Maximum octets of a screenshot in the docs. */
const largestInDocs = 200_000;

/** The screenshots in docs/console.md, by the name of the file. */
const inDocs = {
  'overview-light-desktop': 'overview',
  'domains-domainId-light-desktop': 'domain',
  'accounts-accountId-dark-desktop': 'account-dark',
  'users-light-phone': 'users-phone',
};

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

/** The file name of a page's screenshot: `/domains/:domainId` → `domains-domainId`. */
const pictureName = (path: string): string => path.replaceAll(/[/:]+/g, ' ').trim().replaceAll(' ', '-') || 'overview';

/** The paths of the pages, with the ids of objects. A page with required input is opened with that input. */
const addressesWith = (ids: { readonly [parameter: string]: string }): (readonly [string, string])[] => {
  const searches: { readonly [path: string]: string } = { '/connect': `?user=${ids['userId']}` };
  return consolePaths.map((path) => {
    const parameter = parameterOf(path);
    const id = parameter === undefined ? undefined : ids[parameter];
    if (parameter !== undefined && id === undefined) throw new Error(`there is no ${parameter} for a picture of ${path}`);
    return [pictureName(path), `${path.replace(`:${parameter}`, id ?? '')}${searches[path] ?? ''}`];
  });
};

const takeAll = async (context: BrowserContext, suffix: string, addresses: readonly (readonly [string, string])[]): Promise<void> => {
  const page: Page = await context.newPage();
  await signInAsAdmin(page, sandbox);
  for (const [name, address] of addresses) {
    await page.goto(`${sandbox.consoleUrl}${address}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    // Skeletons are shown until there is something to show.
    await page.locator('main [class*=skeleton]').first().waitFor({ state: 'detached' });
    await page.screenshot({ path: join(folder, `${name}-${suffix}.png`) });
  }
  console.log(`${suffix}: ${addresses.length} pages`);
};

await mkdir(folder, { recursive: true });
const addresses = addressesWith(await fillWithPresentableData(sandbox));
const browser = await startBrowser();
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const context = await browser.newContext({ colorScheme, viewport, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' });
      await takeAll(context, `${colorScheme}-${size}`, addresses);
      await context.close();
    }
  }
} finally {
  await browser.close();
}
console.log(`The pictures are in ${relative(process.cwd(), folder) || folder}.`);
if (values.docs) {
  await mkdir(join(root, 'docs', 'pictures'), { recursive: true });
  for (const [from, to] of Object.entries(inDocs)) {
    const picture = join(folder, `${from}.png`);
    const { size } = await stat(picture);
    if (size > largestInDocs) throw new Error(`${picture} has ${size} octets, more than ${largestInDocs}`);
    await copyFile(picture, join(root, 'docs', 'pictures', `console-${to}.png`));
  }
}
