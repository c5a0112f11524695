import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { generatedMessages, mboxrdOf } from '../generated-mbox.ts';
import { mailDeployment, type MailDeployment } from '../mail-deployment.ts';

let home: string;
let deployment: MailDeployment;
beforeEach(async () => {
  [home, deployment] = [await mkdtemp(join(tmpdir(), 'postrider-mail-')), await mailDeployment()];
});
afterEach(async () => {
  deployment.close();
  await rm(home, { recursive: true, force: true });
});

const start = (...args: string[]) => {
  const child: ChildProcess = spawn(process.execPath, [resolve('cli/postrider.mjs'), ...args], {
    env: { PATH: process.env['PATH'], HOME: home, POSTRIDER_JMAP_URL: deployment.url, POSTRIDER_TOKEN: 'alice' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const ended = new Promise<{ code: number | null; text: string }>((done) => {
    child.once('close', (code) => done({ code, text }));
  });
  return { kill: () => child.kill('SIGKILL'), ended };
};

test('an import that is killed while the server adds messages can be repeated, and the account has each message once, octet for octet', async () => {
  const mbox = mboxrdOf(generatedMessages(300));
  await writeFile(join(home, 'Moved.mbox'), mbox);
  const killed = start('import', join(home, 'Moved.mbox'));
  let imports = 0;
  deployment.faults.next = async (_, body) => {
    if (!body.includes('"Email/import"') || ++imports !== 3) return undefined;
    killed.kill();
    await killed.ended;
    // The server adds the messages, and nothing hears of it.
    return 'lose';
  };
  expect(await killed.ended).toMatchObject({ code: null });
  const again = await start('import', join(home, 'Moved.mbox')).ended;
  expect(again).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^300 messages .*: 150 imported, 50 of the account put into further mailboxes, 100 there already, 0 failed\.$/m),
  });
  expect(await start('export', '--to', join(home, 'out')).ended).toMatchObject({ code: 0, text: expect.stringContaining('300 written') });
  expect(mbox.equals(await readFile(join(home, 'out', 'Moved.mbox')))).toBe(true);
});
