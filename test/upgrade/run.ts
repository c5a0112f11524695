import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { plainMessage, sendRawWhenAccepted } from '../../sandbox/clients/smtp-client.ts';
import { deploy, synthesize } from '../../sandbox/deployment/cdk-deployment.ts';
import { freeBasePort } from '../../sandbox/process/ports.ts';
import { plainLines, progressReport } from '../../sandbox/process/progress-report.ts';
import { projectDirectory, stateDirectory } from '../../sandbox/state/state-directory.ts';
import { startSandbox } from '../../sandbox/supervisor.ts';
import { interruptSignal } from '../test-stages.ts';
import { mailClientOf } from './mail-client.ts';
import { deliverWhile } from './mail-in-flight.ts';
import { consoleSession, openSocket, storedMail, submissionsOnHold, type Check } from './visit.ts';

const usage = `npm run test:upgrade -- --from COMMIT

Starts a sandbox with the CDK app of COMMIT, has people use it, deploys this checkout over it while mail arrives, and
checks that everything is still there and goes on.

  --from COMMIT   a commit, a branch or a tag
  --port PORT     the sandbox's first port`;

const { values } = parseArgs({ options: { from: { type: 'string' }, port: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const directory = join(projectDirectory, '.postrider', 'upgrade');
const source = join(directory, 'source');
const git = (...args: string[]): void => {
  execFileSync('git', args, { cwd: projectDirectory, stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Checks out a commit in a separate folder, with its dependencies. */
const checkOut = (commit: string): void => {
  git('worktree', 'add', '--force', '--detach', source, commit);
  const lockFile = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8').replace(/^ {2,6}"version": ".*",$/m, '');
  if (lockFile(source) === lockFile(projectDirectory)) symlinkSync(join(projectDirectory, 'node_modules'), join(source, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: source, stdio: 'inherit' });
};

const removeAll = async (): Promise<void> => {
  if (existsSync(source)) git('worktree', 'remove', '--force', source);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
};

const runUpgrade = async (from: string, signal: AbortSignal): Promise<Check[]> => {
  const basePort = values.port === undefined ? await freeBasePort(5900) : Number(values.port);
  const report = progressReport(plainLines((text) => process.stdout.write(text)));
  say(`· ${from}`);
  const sandbox = await startSandbox({ basePort, state: stateDirectory(join(directory, 'state')), enforceIam: false, appDirectory: source, report, signal });
  try {
    const { description, deployment } = sandbox;
    const alice = description.users.find(({ accountId, isAdmin }) => accountId && !isAdmin) ?? description.users.find(({ accountId }) => accountId)!;
    const client = await mailClientOf(alice, description);
    const deliver = async (subject: string): Promise<void> => {
      const sender = 'carol@elsewhere.test';
      const raw = await plainMessage({ from: sender, to: [alice.email], subject, text: subject });
      await sendRawWhenAccepted(description.smtp, { from: sender, to: [alice.email] }, raw, 60_000);
    };
    const visits = [
      await storedMail(client),
      await consoleSession(description),
      await openSocket(client, description, deliver),
      await submissionsOnHold(client, description, alice.email),
    ];
    let outputs: Record<string, string> = {};
    say('· this checkout');
    const started = performance.now();
    const { accepted, lost, doubled } = await deliverWhile(description, alice.email, client, async () => {
      await synthesize(deployment);
      ({ outputs } = await deploy({ ...deployment, detail: (text) => say(`  ${text}`) }));
      await sandbox.refresh();
    });
    say(`  deployed after ${((performance.now() - started) / 1000).toFixed(0)} s`);
    const checks: Check[] = [
      {
        what: 'mail that arrived meanwhile',
        isMet: lost.length === 0 && doubled.length === 0,
        found: `${accepted} accepted, ${lost.length} lost, ${doubled.length} doubled`,
      },
    ];
    for (const visit of visits) checks.push(await visit.check());
    const kept = [
      'userPoolId',
      'directoryTableName',
      'mailTableName',
      'sendingTableName',
      'mailBucketName',
      'consoleClientId',
      'cliClientId',
      'JmapHeadlessClientId',
      'JmapHeadlessClientSecret',
      'adminApiUrl',
      'jmapUrl',
      'webSocketUrl',
      'authUrl',
    ];
    const changed = kept.filter((name) => outputs[name] !== description.outputs[name]);
    return [...checks, { what: 'outputs', isMet: changed.length === 0, found: changed.length === 0 ? 'unchanged' : `changed: ${changed.join(', ')}` }];
  } finally {
    await sandbox.stop();
  }
};

if (values.help || values.from === undefined) {
  say(usage);
  process.exit(values.help ? 0 : 2);
}
await removeAll();
try {
  checkOut(values.from);
  const checks = await runUpgrade(values.from, interruptSignal());
  for (const { what, isMet, found } of checks) say(`${isMet ? '✓' : '✗'} ${what}: ${found}`);
  const failed = checks.filter(({ isMet }) => !isMet).length;
  say(`${checks.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await removeAll();
}
process.exit();
