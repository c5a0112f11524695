import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../sandbox/process/child-processes.ts';
import { projectDirectory } from '../../../sandbox/state/state-directory.ts';
import { selfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { tlsServer } from '../../support/tls-server.ts';

const environmentFolder = join(projectDirectory, '.postrider', 'jmapc');
const python = join(environmentFolder, 'bin', 'python');
const [wheels, sources] = ['requirements.lock', 'sources.lock'].map((name) => join(__dirname, name)) as [string, string];

/** Runs a program. @returns the lines that it printed. */
const output = async (command: string, args: readonly string[], environment: Record<string, string> = {}): Promise<readonly string[]> => {
  const { code, lines } = await run(command, args, { environment: { ...process.env, PYTHONPATH: undefined, ...environment } });
  if (code !== 0) throw new Error(`${command} ${args[0]} failed:\n${lines.slice(-20).join('\n')}`);
  return lines;
};

/** Installs jmapc in a Python environment of its own, unless it is there. Every package has a locked hash. */
export const prepareJmapc = async (): Promise<void> => {
  const stamp = join(environmentFolder, 'postrider-requirements');
  const locks = await Promise.all([wheels, sources].map((lock) => readFile(lock)));
  const expected = createHash('sha256').update(Buffer.concat(locks)).digest('hex');
  if (await readFile(stamp, 'utf8').catch(() => '') === expected) return;
  await output('python3', ['-m', 'venv', '--clear', environmentFolder]);
  const install = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--quiet', '--no-deps', '--require-hashes'];
  await output(python, [...install, '--only-binary', ':all:', '-r', wheels]);
  await output(python, [...install, '--no-build-isolation', '-r', sources]);
  await writeFile(stamp, expected);
};

/** What the program `flow.py` saw. */
type JmapcFlow = {
  readonly mailboxes: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly keywords: readonly unknown[];
  readonly forwarded: { readonly subject: string; readonly attachments: readonly unknown[] };
  /** Whether the state of the query changed, and Email/queryChanges could say how. */
  readonly isChanged: boolean;
};

/**
 * Runs `flow.py`. jmapc asks for the session by https only, so that a server with TLS stands before the deployment.
 * @param mail a word that one message of the inbox has, and the addresses that forward it and get it.
 */
export const runJmapcFlow = async (
  sessionUrl: string, token: string, { word, sender, recipient }: { readonly word: string; readonly sender: string; readonly recipient: string },
): Promise<JmapcFlow> => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-jmapc-'));
  const certificate = selfSignedCertificate('localhost', '127.0.0.1');
  const server = await tlsServer(sessionUrl, certificate);
  try {
    const file = join(folder, 'certificate.pem');
    await writeFile(file, certificate.certificate);
    const lines = await output(python, [join(__dirname, 'flow.py'), `localhost:${server.port}`, word, sender, recipient], {
      JMAP_TOKEN: token, REQUESTS_CA_BUNDLE: file,
    });
    return JSON.parse(lines.at(-1)!) as JmapcFlow;
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
};
