import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { run } from '../../sandbox/process/child-processes.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';

const programNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const macPaths = ['/Applications/Chromium.app/Contents/MacOS/Chromium', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** The folder in which the browser from the npm registry is installed and unpacked. */
const installDirectory = join(projectDirectory, '.postrider', 'chromium');
const installedProgram = join(installDirectory, 'chromium');
const completeMark = join(installDirectory, 'complete');

/** The environment of the browser. The browser from the registry includes libraries that a server may lack. */
export const chromiumEnvironment = (program: string): Record<string, string | undefined> =>
  program === installedProgram ? { ...process.env, LD_LIBRARY_PATH: join(installDirectory, 'al2023', 'lib') } : process.env;

type Places = { readonly environment: Record<string, string | undefined>; readonly playwrightProgram: () => string };

const defaultPlaces: Places = { environment: process.env, playwrightProgram: () => chromium.executablePath() };

/**
 * Finds a browser on this machine: the one that CHROMIUM_PATH names, one with a usual name on the PATH, Playwright's
 * own, or the one that {@link installChromium} unpacked.
 */
export const findChromium = ({ environment, playwrightProgram }: Places = defaultPlaces): string | undefined => {
  const named = environment['CHROMIUM_PATH'];
  if (named) return named;
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(Boolean);
  const usual = [...folders.flatMap((folder) => programNames.map((name) => join(folder, name))), ...macPaths, playwrightProgram()];
  return usual.find((path) => existsSync(path)) ?? (existsSync(completeMark) ? installedProgram : undefined);
};

/** The error for a machine without a browser, when the registry has no browser for its platform. */
export const noBrowserError = (platform: string): SandboxError =>
  new SandboxError(
    'The sign-in tests need a Chromium browser, and this machine has none.',
    `Install one: ${platform === 'darwin' ? 'brew install --cask chromium' : 'apt-get install chromium'} (or set CHROMIUM_PATH to one), then start again.`,
  );

const unpackScript = `
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';
chromium.setGraphicsMode = false;
const package_ = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))));
await inflate(join(package_, 'bin', 'al2023.tar.br'));
await chromium.executablePath();
`;

const runOrFail = async (title: string, command: string, args: readonly string[], signal?: AbortSignal): Promise<void> => {
  // The package unpacks itself into the directory for temporary files.
  const { code, lines } = await run(command, args, { cwd: installDirectory, environment: { ...process.env, TMPDIR: installDirectory }, signal });
  if (code === 0) return;
  throw new SandboxError(`${title} failed:\n${lines.slice(-6).join('\n')}`, noBrowserError(process.platform).nextStep);
};

/**
 * Installs a browser from the npm registry, as the lock file in `test/chromium/` pins it: 67 MB, only on Linux on x64.
 * @throws SandboxError on other platforms, and without the registry.
 */
export const installChromium = async (signal?: AbortSignal): Promise<string> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw noBrowserError(process.platform);
  await rm(installDirectory, { recursive: true, force: true });
  await mkdir(installDirectory, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    await cp(join(projectDirectory, 'test', 'chromium', file), join(installDirectory, file));
  }
  await runOrFail('Installing Chromium from the npm registry', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], signal);
  await runOrFail('Unpacking Chromium', process.execPath, ['--input-type=module', '-e', unpackScript], signal);
  await rm(join(installDirectory, 'node_modules'), { recursive: true, force: true });
  await writeFile(completeMark, '');
  return installedProgram;
};
