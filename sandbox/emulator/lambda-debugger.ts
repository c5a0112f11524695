import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../process/sandbox-error.ts';

/**
 * The request that `debugger.py` reads: the function, the module that its worker loads, and the inspector's port on
 * 127.0.0.1.
 */
type DebugRequest = { readonly function: string; readonly module: string; readonly port: number };

/** The file in the emulator's state directory that names the Lambda to debug. */
export const debugRequestFile = (emulatorDirectory: string): string => join(emulatorDirectory, 'debug.json');

/** Timeouts in milliseconds for the emulator to start the worker, and to end it. */
const workerTimeouts = { start: 15_000, stop: 5000 } as const;

/** Whether Node's inspector responds at this port (`GET /json/version`). Undefined when nothing responds in a second. */
export const inspectorAnswers = async (port: number): Promise<boolean | undefined> => {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/version`, { signal: AbortSignal.timeout(1000) });
    const version: object = JSON.parse(await response.text());
    return response.ok && 'Protocol-Version' in version;
  } catch (error) {
    // A busy machine responds late. That is no proof that the inspector has ended.
    return error instanceof Error && error.name === 'TimeoutError' ? undefined : false;
  }
};

/** Waits until the inspector responds, or until it no longer does. @returns whether that happened in time. */
const waitForInspector = async (port: number, expected: boolean, timeout: number): Promise<boolean> => {
  for (const until = Date.now() + timeout; Date.now() < until;) {
    if ((await inspectorAnswers(port)) === expected) return true;
    await delay(100);
  }
  return false;
};

/**
 * Bundles a Lambda from the current source, not minified, with a source map to the TypeScript files.
 * @returns the bundle, a CommonJS file with the suffix `.cjs`, because modules of the project are ES modules.
 */
export const bundleForDebugging = async (entry: string, directory: string): Promise<string> => {
  const { build } = await import('esbuild');
  const bundle = join(directory, 'index.cjs');
  await build({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    legalComments: 'none',
    logLevel: 'silent',
  }).catch((error: Error) => {
    throw new SandboxError(`${entry} could not be bundled:\n${error.message}`);
  });
  return bundle;
};

/**
 * Makes the emulator run a function under Node's inspector, and resolves when the inspector listens. A function that is
 * already being debugged is restarted.
 * @throws SandboxError when another program listens on the port, or the function does not start.
 */
export const startDebugging = async (emulatorDirectory: string, request: DebugRequest): Promise<void> => {
  const file = debugRequestFile(emulatorDirectory);
  await stopDebugging(emulatorDirectory, request.port);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(request));
  await rename(`${file}.new`, file);
  if (await waitForInspector(request.port, true, workerTimeouts.start)) return;
  await stopDebugging(emulatorDirectory, request.port);
  throw new SandboxError(
    `The Lambda ${request.function} did not start under the inspector within ${workerTimeouts.start / 1000} s.`,
    `If another program listens on port ${request.port}, choose one with --port. Otherwise read emulator.log in the state directory.`,
  );
};

/**
 * Ends debugging: the emulator runs the deployed code again.
 * @throws SandboxError when something still listens on the port.
 */
export const stopDebugging = async (emulatorDirectory: string, port: number): Promise<void> => {
  await rm(debugRequestFile(emulatorDirectory), { force: true });
  if (await waitForInspector(port, false, workerTimeouts.stop)) return;
  throw new SandboxError(`Another Node.js process is debugged at port ${port}.`, 'End it, or choose another port with --port.');
};
