import { join } from 'node:path';
import { run } from '../../sandbox/process/child-processes.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';
import { describeWith } from './deployment.ts';

describeWith('emulator')('npm run aws:first-hour', () => {
  test('tries each assumption about AWS on a deployment, and none fails in the sandbox', async () => {
    const { code, lines } = await run(
      process.execPath,
      [join(projectDirectory, 'test', 'first-hour', 'run.ts'), '--outputs', process.env['POSTRIDER_OUTPUTS']!],
      { cwd: projectDirectory, environment: process.env, signal: new AbortController().signal, onLine: () => undefined },
    );
    expect(lines.filter((line) => /^(?:FAILED|not tried) /.test(line))).toEqual([]);
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/^\d\d ok, 0 FAILED, 0 not tried\.$/)]);
  });
});
