import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDynamodbLocal } from '../../bench/process/dynamodb-local.ts';
import { endAllProcesses, run } from '../../sandbox/process/child-processes.ts';
import { freeBasePort } from '../../sandbox/process/ports.ts';
import { SandboxError } from '../../sandbox/process/sandbox-error.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';
import { compareContacts, contactDifferences } from './contacts/compare-contacts.ts';
import { compareMail } from './mail/compare-mail.ts';
import { mailDifferences } from './mail/mail-differences.ts';

/**
 * `npm run test:second-opinion`: our parser of mail and our vCards beside others, and the suites of what is stored in
 * DynamoDB on AWS's own engine instead of the sandbox's emulator. It fails when a suite fails, and when parsers differ in
 * a way that is not known. `--mail` compares the parsers only.
 */
const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** The test files that create tables by `withDynamodb`. */
const suites = ['test/core/(directory|mail|push|storage/dynamodb)/.*emulator', 'cognito-client-registrar.emulator'];

/** Runs the suites on DynamoDB Local. The sandbox's emulator serves other services. @returns whether all tests passed. */
const passOnDynamodbLocal = async (): Promise<boolean> => {
  const dynamodb = await startDynamodbLocal(await freeBasePort(7400));
  const { code } = await run(
    process.execPath,
    [join(projectDirectory, 'node_modules', 'jest', 'bin', 'jest.js'), '--selectProjects', 'sandbox', '--runInBand', '--forceExit', ...suites],
    { cwd: projectDirectory, environment: { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: dynamodb }, onLine: print },
  );
  return code === 0;
};

const { values } = parseArgs({ options: { mail: { type: 'boolean' }, seed: { type: 'string', default: '1' } } });

/** Compares our parser of mail with others. @returns whether each field reads the same, or differs as known. */
const readLikeOtherParsers = async (): Promise<boolean> => {
  const { compared, known, unknown } = await compareMail(1000, Number(values.seed));
  for (const { parser, of, kind, reason } of mailDifferences) print(`${kind}: ${parser} ${reason} (${of.join(', ')})`);
  for (const difference of unknown) print(`✗ ${difference}`);
  print(`${compared} messages, ${known} known differences, ${unknown.length} others`);
  return unknown.length === 0;
};

/** Compares what vobject reads of our vCards with the contacts. @returns whether each field is the same, or differs as known. */
const areVCardsReadByOthers = async (): Promise<boolean> => {
  const { compared, known, unknown } = await compareContacts(500, Number(values.seed));
  for (const { version, fields, reason } of contactDifferences) print(`theirs: vobject ${reason} (${fields.join(', ')} of version ${version})`);
  for (const difference of unknown) print(`✗ ${difference}`);
  print(`${compared} vCards, ${known} known differences, ${unknown.length} others`);
  return unknown.length === 0;
};

try {
  const doParsersAgree = [await readLikeOtherParsers(), await areVCardsReadByOthers()].every(Boolean);
  process.exitCode = (values.mail || (await passOnDynamodbLocal())) && doParsersAgree ? 0 : 1;
} catch (error) {
  if (!(error instanceof SandboxError)) throw error;
  print(`${error.message}\n${error.nextStep ?? ''}`);
  process.exitCode = 1;
} finally {
  await endAllProcesses();
}
