import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOnStack } from '../../bin/run-on-stack.ts';
import { root } from '../architecture/sources.ts';

/** Foreign text that sets the window's title, clears the screen and turns the line around. */
const hostile = '\u001b]0;owned\u0007\u001b[2J\u202egnp';
const escaped = '\\u001b]0;owned\\u0007\\u001b[2J\\u202egnp';

/** A server in the place of AWS that refuses every call with the hostile text. */
let aws: Server;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commands-'));
  await writeFile(join(folder, 'sandbox.log'), `10:00  error    deliver: ${hostile}\n\ta stack\n`);
  aws = createServer((_, response) => {
    response
      .writeHead(403, { 'content-type': 'text/xml' })
      .end(`<ErrorResponse><Error><Code>AccessDenied</Code><Message>not allowed: ${hostile}</Message></Error></ErrorResponse>`);
  });
  await new Promise<void>((resolve) => {
    aws.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(async () => {
  aws.close();
  await rm(folder, { recursive: true });
});

const run = (...args: readonly string[]) =>
  new Promise<{ readonly code: number | null; readonly printed: string }>((resolve) => {
    const environment = {
      PATH: process.env['PATH'],
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(aws.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      AWS_MAX_ATTEMPTS: '1',
    };
    const child = spawn(process.execPath, args, { cwd: root, env: environment });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        printed += data.toString();
      });
    child.on('close', (code) => resolve({ code, printed }));
  });

test.each<[string, () => readonly string[], number]>([
  ['the log of the sandbox', () => ['sandbox/main.ts', 'logs', '--state', folder], 0],
  ['an unknown command of the sandbox', () => ['sandbox/main.ts', hostile], 2],
  ['an unknown option of the sandbox', () => ['sandbox/main.ts', 'logs', `--${hostile}`], 2],
  ['an error of AWS for remove-failed', () => ['bin/remove-failed.ts', 'Postrider'], 1],
])('%s is printed without control characters', async (_, args, expected) => {
  const { code, printed } = await run(...args());
  expect(printed).toContain(escaped);
  expect(printed).not.toMatch(/[^\P{Cc}\t\n]|\p{Bidi_Control}/u);
  expect(code).toBe(expected);
});

test('what a command says about a resource is printed without control characters', async () => {
  let printed = '';
  const stdout = {
    write: (text: string) => {
      printed += text;
    },
  } as unknown as NodeJS.WriteStream & { fd: 1 };
  const streams = { ...process, argv: ['node', 'command', 'Postrider'], stdout };
  expect(
    await runOnStack(
      'usage',
      async (stackName, say) => {
        say(`${hostile}: is removed`);
        return stackName;
      },
      streams,
    ),
  ).toBe(0);
  expect(printed).toBe(`${escaped}: is removed\nPostrider\n`);
});
