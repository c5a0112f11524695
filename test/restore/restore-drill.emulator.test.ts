import { freeBasePort } from '../../sandbox/process/ports.ts';
import { progressReport } from '../../sandbox/process/progress-report.ts';
import { stateDirectory } from '../../sandbox/state/state-directory.ts';
import { startSandbox, type RunningSandbox } from '../../sandbox/supervisor.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runDrill, type Finding } from './drill.ts';

const directory = temporaryDirectory('file');
let sandbox: RunningSandbox | undefined;
let findings: readonly Finding[];

beforeAll(async () => {
  const state = stateDirectory(directory('sandbox'));
  const report = progressReport(() => undefined);
  sandbox = await startSandbox({
    basePort: await freeBasePort(5990), state, enforceIam: false, report, signal: new AbortController().signal,
  });
  findings = await runDrill({ sandbox, state, say: () => undefined, isFull: false });
});
afterAll(() => sandbox?.stop());

test('a deployment that lost an account is restored to a time, by calls that are each killed after a change', () => {
  expect(findings.filter(({ isMet }) => !isMet)).toEqual([]);
  expect(findings.map(({ what }) => what)).toEqual([
    'kills', 'mail', 'raw messages', 'what is missing', 'the old table', 'states of clients', 'mail that was sent since', 'mail on hold', 'admins', 'programs from before',
    'programs since the time', 'programs that register again', 'new mail',
  ]);
});
