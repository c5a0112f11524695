import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run, startProcess } from '../../sandbox/process/child-processes.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';

const here = join(projectDirectory, 'test', 'second-opinion');

/** The folder of downloaded programs. */
export const secondOpinionHome = join(projectDirectory, '.postrider', 'second-opinion');

const runOrFail = async (command: string, args: readonly string[], help: string): Promise<void> => {
  const finished = await run(command, args, { cwd: here, environment: process.env }).catch(() => undefined);
  if (finished?.code === 0) return;
  throw new SandboxError(`${command} failed:\n${(finished?.lines ?? ['it is not installed']).slice(-8).join('\n')}`, help);
};

/** Waits until a server responds. @throws SandboxError after a minute. */
export const untilItAnswers = async (title: string, url: string): Promise<void> => {
  for (const deadline = Date.now() + 60_000; ; await delay(200)) {
    if (await fetch(url).then(() => true, () => false)) return;
    if (Date.now() > deadline) throw new SandboxError(`${title} did not start within a minute.`);
  }
};

/**
 * Starts DynamoDB Local, AWS's own engine, from Maven Central, with its tables in memory.
 * @returns its URL.
 * @throws SandboxError without Java or Maven.
 */
export const startDynamodbLocal = async (port: number): Promise<string> => {
  const lib = join(secondOpinionHome, 'lib');
  await mkdir(lib, { recursive: true });
  await runOrFail('mvn', [
    '-q', '-B', '-f', join(here, 'pom.xml'), 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies',
    `-DoutputDirectory=${lib}`, '-DincludeScope=runtime',
  ], 'DynamoDB Local needs Java and Maven: apt-get install default-jre-headless maven');
  startProcess('java', [
    `-Djava.library.path=${lib}`, '-cp', `${lib}/*`, 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner', '-inMemory',
    '-port', String(port), '-disableTelemetry',
  ], { cwd: secondOpinionHome, stdio: 'ignore' });
  await untilItAnswers('DynamoDB Local', `http://127.0.0.1:${port}`);
  return `http://127.0.0.1:${port}`;
};
