import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparePythonEnvironment, pythonIn } from '../../../sandbox/emulator/python-environment.ts';
import { run } from '../../../sandbox/process/child-processes.ts';
import { projectDirectory } from '../../../sandbox/state/state-directory.ts';
import { selfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { tlsServer } from '../../support/tls-server.ts';

const environmentFolder = join(projectDirectory, '.postrider', 'jmapc');

/** Runs a program. @returns the lines that it printed. */
const output = async (command: string, args: readonly string[], environment: Record<string, string> = {}): Promise<readonly string[]> => {
  const { code, lines } = await run(command, args, { environment: { ...process.env, PYTHONPATH: undefined, ...environment } });
  if (code !== 0) throw new Error(`${command} ${args[0]} failed:\n${lines.slice(-20).join('\n')}`);
  return lines;
};

/** Installs jmapc in a separate Python environment, unless it is installed. Runs of the tests side by side share it. */
export const prepareJmapc = (): Promise<void> =>
  preparePythonEnvironment({
    directory: environmentFolder,
    requirements: join(import.meta.dirname, 'requirements.lock'),
    sourceRequirements: join(import.meta.dirname, 'sources.lock'),
  });

/** The results of the program `flow.py`. */
type JmapcFlow = {
  readonly mailboxes: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly keywords: readonly unknown[];
  readonly forwarded: { readonly subject: string; readonly attachments: readonly unknown[] };
  /** Whether the state of the query changed, and Email/queryChanges returned the changes. */
  readonly isChanged: boolean;
};

/**
 * Runs a program of this folder. jmapc requests the session only by https, so that a server with TLS is put in front of
 * the deployment.
 * @returns the last line of its output as JSON.
 */
const runProgram = async (program: string, sessionUrl: string, token: string, args: readonly string[]): Promise<unknown> => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-jmapc-'));
  const certificate = selfSignedCertificate('localhost', '127.0.0.1');
  const server = await tlsServer(sessionUrl, certificate);
  try {
    const file = join(folder, 'certificate.pem');
    await writeFile(file, certificate.certificate);
    const lines = await output(pythonIn(environmentFolder), [join(import.meta.dirname, program), `localhost:${server.port}`, ...args], {
      JMAP_TOKEN: token,
      REQUESTS_CA_BUNDLE: file,
    });
    return JSON.parse(lines.at(-1)!) as unknown;
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Runs `flow.py`.
 * @param mail a word that one message of the inbox has, and the addresses that forward this message and receive it.
 */
export const runJmapcFlow = async (
  sessionUrl: string,
  token: string,
  { word, sender, recipient }: { readonly word: string; readonly sender: string; readonly recipient: string },
): Promise<JmapcFlow> => (await runProgram('flow.py', sessionUrl, token, [word, sender, recipient])) as JmapcFlow;

/**
 * Runs `files.py`, which uploads the files of a folder, the large one in pieces.
 * @returns the ids of the blobs, by the names of the files.
 */
export const uploadByJmapc = async (
  sessionUrl: string,
  token: string,
  folder: string,
  pieceSize: number,
  large: string,
): Promise<{ readonly [name: string]: string }> =>
  (await runProgram('files.py', sessionUrl, token, [folder, String(pieceSize), large])) as { [name: string]: string };
