import { readFile, rm, writeFile } from 'node:fs/promises';
import { generatedMessages, mboxrdOf } from '../cli/generated-mbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { deployed, describeWith } from './deployment.ts';
import { mailProgram } from './mail-program.ts';

const home = temporaryDirectory('file');
const run = (...args: string[]) => mailProgram('bob', home())(...args);

describeWith('users')('postrider', () => {
  test('signs in at a server, and moves an mbox into the account and out of it, octet for octet', async () => {
    expect(await run('login', '--server', deployed.jmapUrl)).toMatchObject({ code: 0 });
    const folder = `Moved ${Date.now()}`;
    // Too large for one upload.
    const large = Buffer.from(`Subject: large\nMessage-ID: <${folder.replace(' ', '.')}@example.net>\n\n${`${'x'.repeat(75)}\n`.repeat(70_000)}`);
    const mbox = mboxrdOf([...generatedMessages(60, Date.now()), large]);
    await writeFile(home(`${folder}.mbox`), mbox);
    expect(await run('import', home(`${folder}.mbox`))).toMatchObject({ code: 0, err: '', out: expect.stringContaining(': 61 imported') });
    expect(await run('import', home(`${folder}.mbox`))).toMatchObject({ code: 0, out: expect.stringContaining(': 0 imported, 61 there already') });
    await rm(home('.local'), { recursive: true });
    expect(await run('import', home(`${folder}.mbox`))).toMatchObject({ code: 0, out: expect.stringContaining(': 0 imported, 61 of the account') });
    expect(await run('export', '--to', home('out'))).toMatchObject({ code: 0, err: '' });
    expect(mbox.equals(await readFile(home('out', `${folder}.mbox`)))).toBe(true);
  });
});
