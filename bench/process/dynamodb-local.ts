import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run, startProcess } from '../../sandbox/process/child-processes.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';

/** The folder of the downloaded engine. */
const home = join(projectDirectory, '.postrider', 'dynamodb-local');

const runOrFail = async (command: string, args: readonly string[], help: string): Promise<void> => {
  const finished = await run(command, args, { cwd: import.meta.dirname, environment: process.env }).catch(() => undefined);
  if (finished?.code === 0) return;
  throw new SandboxError(`${command} failed:\n${(finished?.lines ?? ['it is not installed']).slice(-8).join('\n')}`, help);
};

/**
 * Starts DynamoDB Local, AWS's own engine, from Maven Central, with its tables in memory.
 * @returns its URL.
 * @throws SandboxError without Java or Maven, or when it does not start within a minute.
 */
export const startDynamodbLocal = async (port: number): Promise<string> => {
  const lib = join(home, 'lib');
  await mkdir(lib, { recursive: true });
  await runOrFail(
    'mvn',
    [
      '-q',
      '-B',
      '-f',
      join(import.meta.dirname, 'pom.xml'),
      'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
      `-DoutputDirectory=${lib}`,
      '-DincludeScope=runtime',
    ],
    'DynamoDB Local needs Java and Maven: apt-get install default-jre-headless maven',
  );
  startProcess(
    'java',
    [
      `-Djava.library.path=${lib}`,
      '-cp',
      `${lib}/*`,
      'com.amazonaws.services.dynamodbv2.local.main.ServerRunner',
      '-inMemory',
      '-port',
      String(port),
      '-disableTelemetry',
    ],
    { cwd: home, stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  for (
    const deadline = Date.now() + 60_000;
    !(await fetch(url).then(
      () => true,
      () => false,
    ));
    await delay(200)
  ) {
    if (Date.now() > deadline) throw new SandboxError('DynamoDB Local did not start within a minute.');
  }
  return url;
};
