import { readFile, rm, writeFile } from 'node:fs/promises';
import type { MailContext } from '../../cli/terminal/cli-context.ts';
import { runMailCommandLine } from '../../cli/program/run-mail-command-line.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { generatedMessages, mboxrdOf } from '../cli/generated-mbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { deployed, describeWith } from './deployment.ts';
import { signInByForms } from './sign-in-by-forms.ts';

const home = temporaryDirectory('file');

/** Runs a command line of `postrider` as Bob. The test fills in the sign-in forms instead of a browser. */
const run = async (...args: string[]) => {
  const said = { out: '', err: '' };
  const context: MailContext = {
    environment: { HOME: home() }, readInput: async () => '', fetch, now: () => Date.now(),
    print: (text) => { said.out += text; }, printMessage: (text) => { said.err += text; },
    openBrowser: (url) => { void signInByForms('bob', url, cliCallbackUrls[1]); },
    terminal: { isInteractive: false, columns: () => 80, write: () => undefined }, readSecret: async () => '',
    signal: new AbortController().signal, pause: (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); }),
  };
  const code = await runMailCommandLine(args, context);
  return { code, ...said };
};

describeWith('users')('postrider', () => {
  test('signs in at a server, and moves an mbox into the account and out of it, octet for octet', async () => {
    expect(await run('login', '--server', deployed.jmapUrl)).toMatchObject({ code: 0 });
    const folder = `Moved ${Date.now()}`;
    // Too large for one upload.
    const large = Buffer.from(
      `Subject: large\nMessage-ID: <${folder.replace(' ', '.')}@example.net>\n\n${`${'x'.repeat(75)}\n`.repeat(70_000)}`,
    );
    const mbox = mboxrdOf([...generatedMessages(60, Date.now()), large]);
    await writeFile(home(`${folder}.mbox`), mbox);
    expect(await run('import', home(`${folder}.mbox`))).toMatchObject({
      code: 0, err: '', out: expect.stringContaining(': 61 imported'),
    });
    expect(await run('import', home(`${folder}.mbox`))).toMatchObject({
      code: 0, out: expect.stringContaining(': 0 imported, 61 there already'),
    });
    await rm(home('.local'), { recursive: true });
    expect(await run('import', home(`${folder}.mbox`))).toMatchObject({
      code: 0, out: expect.stringContaining(': 0 imported, 61 of the account'),
    });
    expect(await run('export', '--to', home('out'))).toMatchObject({ code: 0, err: '' });
    expect(mbox.equals(await readFile(home('out', `${folder}.mbox`)))).toBe(true);
  });
});
