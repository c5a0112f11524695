import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { scopes } from '../../contract/oauth/oauth.ts';
import { clientToken } from '../../sandbox/deployment/client-credentials.ts';
import { run } from '../../sandbox/process/child-processes.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';
import { interruptSignal } from '../test-stages.ts';
import { strictDocument } from './document.ts';
import { prepareSchemathesis } from './schemathesis-environment.ts';

const usage = `npm run test:schemathesis -- --outputs FILE [options of schemathesis run]

Sends requests that the OpenAPI document of the admin API allows, and many that it does not, to a sandbox. It reports responses that
the document does not describe, and every 5xx. It creates and deletes domains, users and accounts: run it on a sandbox, never on a
deployment.

  --outputs FILE   the sandbox.json of a running sandbox (.postrider/sandbox.json)

Other options are passed to schemathesis: --max-examples 50, --include-tag users, --seed 1`;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const readSandbox = async (file: string): Promise<SandboxDescription> => {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new SandboxError(`There is no file ${file}.`, 'npm start writes .postrider/sandbox.json.');
  });
  const description = JSON.parse(text) as SandboxDescription;
  if (!description.awsEndpointUrl) {
    throw new SandboxError(`${file} does not describe a sandbox.`, 'This test creates and deletes data at random. Run it on a sandbox only.');
  }
  return description;
};

/** Runs Schemathesis. @returns its exit code: 0 when it found no errors. */
const test = async (file: string, more: readonly string[]): Promise<number> => {
  const signal = interruptSignal();
  const sandbox = await readSandbox(file);
  const program = await prepareSchemathesis(join(projectDirectory, '.postrider', 'schemathesis'), signal);
  const { access_token: token } = await clientToken(sandbox.clients.adminHeadless, scopes.ADMIN, sandbox);
  const directory = await mkdtemp(join(tmpdir(), 'postrider-schemathesis-'));
  try {
    const document = join(directory, 'openapi.json');
    await writeFile(document, JSON.stringify(strictDocument(sandbox.adminApiUrl)));
    const { code } = await run(
      program,
      [
        '--config-file',
        join(import.meta.dirname, 'schemathesis.toml'),
        'run',
        document,
        '--url',
        sandbox.adminApiUrl,
        '--phases',
        'examples,coverage,fuzzing',
        '--continue-on-failure',
        '--max-examples',
        '20',
        ...more,
      ],
      { cwd: directory, environment: { ...process.env, POSTRIDER_ADMIN_TOKEN: token }, signal, onLine: say },
    );
    return code ?? 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const { values, tokens } = parseArgs({
  options: { outputs: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  strict: false,
  allowPositionals: true,
  tokens: true,
});
const ours = new Set(
  tokens.flatMap((token) => (token.kind === 'option' && token.name === 'outputs' ? [token.index, ...(token.inlineValue ? [] : [token.index + 1])] : [])),
);

if (values.help || typeof values.outputs !== 'string') {
  say(usage);
  process.exitCode = values.help ? 0 : 2;
} else {
  try {
    process.exitCode = await test(
      resolve(values.outputs),
      process.argv.slice(2).filter((_, index) => !ours.has(index)),
    );
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    say(`${error.message}\n${error.nextStep ?? ''}`);
    process.exitCode = 1;
  }
}
