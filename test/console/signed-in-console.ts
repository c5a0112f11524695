import { chromium, type Browser, type Page } from 'playwright-core';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { chromiumEnvironment, findChromium, installChromium } from '../integration/chromium-program.ts';

/** Starts a browser for a program that is not a test. It ends with the program. */
export const startBrowser = async (): Promise<Browser> => {
  const executablePath = findChromium() ?? (await installChromium());
  return chromium.launch({ executablePath, env: chromiumEnvironment(executablePath), chromiumSandbox: false });
};

/** Opens the console of a sandbox and signs in as its admin. */
export const signInAsAdmin = async (page: Page, { consoleUrl, users }: SandboxDescription): Promise<void> => {
  const { email, password } = users.find(({ isAdmin }) => isAdmin)!;
  const field = (name: string) => page.locator(`input[name="${name}"]:visible`).first();
  await page.goto(consoleUrl);
  await field('username').fill(email);
  if (!(await field('password').isVisible())) await field('username').press('Enter');
  await field('password').fill(password);
  await field('password').press('Enter');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
};
