import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { sandboxUser } from './deployment.ts';

const programNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const macPaths = ['/Applications/Chromium.app/Contents/MacOS/Chromium', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/**
 * The path of the browser that CHROMIUM_PATH names, or else of the first one with a usual name.
 * @throws Error when there is none: the sign-in tests need a real browser.
 */
const chromiumPath = (): string => {
  const configuredPath = process.env['CHROMIUM_PATH'];
  if (configuredPath) return configuredPath;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const path = [...folders.flatMap((folder) => programNames.map((name) => join(folder, name))), ...macPaths].find(
    (candidate) => existsSync(candidate),
  );
  if (path) return path;
  throw new Error('These tests need Chromium: install it (Debian and Ubuntu: apt-get install chromium), or set CHROMIUM_PATH to one.');
};

/**
 * Starts a headless browser. It runs without its own sandbox, which does not work for root and in many containers. It
 * opens our pages only.
 */
export const openChromium = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath(), chromiumSandbox: false });

/** Fills in the hosted sign-in page, which asks for name and password together or one after the other. */
export const signInOnPage = async (page: Page, name: Parameters<typeof sandboxUser>[0]): Promise<void> => {
  const { email, password } = sandboxUser(name);
  const field = (label: string) => page.locator(`input[name="${label}"]:visible`).first();
  await field('username').fill(email);
  if (!(await field('password').isVisible())) await field('username').press('Enter');
  await field('password').fill(password);
  await field('password').press('Enter');
};

/** Whether the page asks for a user name. */
export const showsSignInForm = async (page: Page): Promise<boolean> => (await page.locator('input[name="username"]:visible').count()) > 0;
