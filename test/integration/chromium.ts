import { chromium, type Browser, type Page } from 'playwright-core';
import { oneTimeCode } from '../../sandbox/clients/authenticator-app.ts';
import { chromiumEnvironment, findChromium, installChromium } from './chromium-program.ts';
import { sandboxUser } from './deployment.ts';

/**
 * Starts a headless browser. It runs without Chromium's own sandbox, which does not work for root and in many
 * containers. It opens only pages of the deployment.
 */
export const openChromium = async (): Promise<Browser> => {
  const executablePath = findChromium() ?? (await installChromium());
  const env = chromiumEnvironment(executablePath) as Record<string, string>;
  return chromium.launch({ executablePath, env, chromiumSandbox: false });
};

/** Fills in the hosted sign-in page, which asks for name and password together or one after the other. */
/** A person who signs in: one of the sandbox by the name, or another one. */
export type Person = Parameters<typeof sandboxUser>[0] | Pick<ReturnType<typeof sandboxUser>, 'email' | 'password' | 'authenticator'>;

export const signInOnPage = async (page: Page, person: Person): Promise<void> => {
  const { email, password, authenticator } = typeof person === 'string' ? sandboxUser(person) : person;
  const field = (label: string) => page.locator(`input[name="${label}"]:visible`).first();
  await field('username').fill(email);
  if (!(await field('password').isVisible())) await field('username').press('Enter');
  await field('password').fill(password);
  await field('password').press('Enter');
  if (!authenticator) return;
  const code = page.locator('input[name*="code"]:visible').first();
  await code.fill(oneTimeCode(authenticator.secret!));
  await code.press('Enter');
};

/** Whether the page asks for a user name. */
export const showsSignInForm = async (page: Page): Promise<boolean> => (await page.locator('input[name="username"]:visible').count()) > 0;
