import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { preparePythonEnvironment, pythonIn } from '../../../sandbox/emulator/python-environment.ts';
import { projectDirectory } from '../../../sandbox/state/state-directory.ts';

const environmentFolder = join(projectDirectory, '.postrider', 'requests-oauthlib');

/** Installs requests-oauthlib in a separate Python environment, unless it is installed. */
export const prepareRequestsOauthlib = (): Promise<void> =>
  preparePythonEnvironment({ directory: environmentFolder, requirements: join(import.meta.dirname, 'requirements.lock') });

/** The results of the program `flow.py`. */
type Flow = {
  /** Whether the refresh returned a new refresh token. */
  readonly rotated: boolean;
  readonly accessToken: string;
  readonly apiUrl: string;
  /** The status of the revocation. */
  readonly revoked: number;
};

/**
 * Runs `flow.py`.
 * @param signIn opens the URL of the authorization endpoint, and returns the URL to which the browser is redirected.
 */
export const runRequestsOauthlibFlow = async (
  request: { readonly jmapUrl: string; readonly clientId: string; readonly redirectUri: string; readonly scope: string },
  signIn: (url: string) => Promise<URL>,
): Promise<Flow> => {
  const { jmapUrl, clientId, redirectUri, scope } = request;
  const python = spawn(pythonIn(environmentFolder), [join(import.meta.dirname, 'flow.py'), jmapUrl, clientId, redirectUri, scope], {
    // The library refuses http, which a sandbox has.
    env: { ...process.env, PYTHONPATH: undefined, OAUTHLIB_INSECURE_TRANSPORT: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  python.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = once(python, 'close');
  const lines: string[] = [];
  for await (const line of createInterface(python.stdout)) {
    lines.push(line);
    if (lines.length === 1) python.stdin.end(`${(await signIn(line)).href}\n`);
  }
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`flow.py failed:\n${errors}`);
  return JSON.parse(lines.at(-1)!) as Flow;
};
