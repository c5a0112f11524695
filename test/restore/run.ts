import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBasePort } from '../../sandbox/process/ports.ts';
import { plainLines, progressReport } from '../../sandbox/process/progress-report.ts';
import { projectDirectory, stateDirectory } from '../../sandbox/state/state-directory.ts';
import { startSandbox } from '../../sandbox/supervisor.ts';
import { interruptSignal } from '../test-stages.ts';
import { runDrill, type Finding } from './drill.ts';

/**
 * `npm run test:restore`: a drill. A sandbox loses the mail of an account, in its tables and its bucket, and is
 * restored: with a kill after each change, then again by the command line. Nobody may see a difference.
 */
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const state = stateDirectory(join(projectDirectory, '.postrider', 'restore'));

const run = async (): Promise<Finding[]> => {
  const report = progressReport(plainLines((text) => process.stdout.write(text)));
  const sandbox = await startSandbox({ basePort: await freeBasePort(5970), state, enforceIam: false, report, signal: interruptSignal() });
  try {
    return await runDrill({ sandbox, state, say });
  } finally {
    await sandbox.stop();
    await rm(state.path, { recursive: true, force: true, maxRetries: 5 });
  }
};

const findings = await run();
say('');
for (const { what, isMet, found } of findings) say(`${isMet ? '✓' : '✗'} ${what.padEnd(28)} ${found}`);
const failed = findings.filter(({ isMet }) => !isMet).length;
say(`${findings.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
