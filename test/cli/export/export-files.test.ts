import { chmod, link, mkdir, readdir, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exportMaildir } from '../../../cli/export/maildir-writer.ts';
import { perTest } from '../../support/per-test.ts';
import { openMailTerminal } from '../mail-terminal.ts';

const terminal = perTest(() => openMailTerminal());
afterEach(() => terminal.close());

/** Creates `Work/Inner`, and adds a message to the inbox, to Work and to Inner. */
const fill = async (): Promise<void> => {
  const make = async (name: string, parentId: string | null) =>
    (await terminal.deployment.call('Mailbox/set', { create: { m: { name, parentId } } }))['created'].m.id as string;
  const work = await make('Work', null);
  const { inbox } = await terminal.deployment.roles();
  for (const id of [inbox!, work, await make('Inner', work)]) {
    const answer = await fetch(`${terminal.url}/upload/acc_alice`, {
      method: 'POST',
      headers: { authorization: 'Bearer alice' },
      body: `Subject: ${id}\n\nx\n`,
    });
    const { blobId } = (await answer.json()) as { blobId: string };
    await terminal.deployment.call('Email/import', { emails: { m: { blobId, mailboxIds: { [id]: true }, keywords: { later: true } } } });
  }
};

const contentOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(async () => `-> ${await readlink(path).catch(() => 'folder')}`);
/** All files and folders around the export, with the contents of files. */
const surroundings = async () => {
  const names = (await readdir(terminal.home, { recursive: true })).filter((name) => !name.startsWith('out')).sort();
  return Promise.all(names.map(async (name) => `${name}: ${await contentOf(terminal.path(name))}`));
};
const run = (...options: string[]) => terminal.run('export', '--to', terminal.path('out'), ...options);
const refusal = expect.stringMatching(/is a symbolic link|postrider did not write it/);
const asMaildirs = ['--format', 'maildir'];

describe('an export writes nothing outside its folder', () => {
  test.each([
    ['mbox', '../outside.mbox'],
    ['mbox', 'a/../../outside.mbox'],
    ['mbox', './Inbox.mbox'],
    ['mbox', 'a//b.mbox'],
    ['mbox', '.ssh/a.mbox'],
    ['mbox', 'outside'],
    ['mbox', 'C:\\outside.mbox'],
    ['mbox', '..\\outside.mbox'],
    ['mbox', '/ABSOLUTE/outside.mbox'],
    ['maildir', '..'],
    ['maildir', '../outside'],
    ['maildir', '.a/../../outside'],
    ['maildir', 'outside'],
    ['maildir', '/ABSOLUTE/outside'],
  ])('when a manifest there, of format %s, has the place %s', async (format, place) => {
    await fill();
    const absolute = place.replace('/ABSOLUTE', terminal.path('elsewhere'));
    const names = [['Inbox'], ['Work'], ['Work', 'Inner']];
    const mailboxes = Object.fromEntries(names.map((path, index) => [index === 1 ? absolute : `.x${index}`, { path, role: null }]));
    await terminal.put('out/postrider-export.json', JSON.stringify({ format, mailboxes: format === 'mbox' ? { [absolute]: mailboxes[absolute] } : mailboxes }));
    const before = await surroundings();
    expect(await run('--format', format)).toMatchObject({ code: 1, err: expect.stringContaining('postrider-export.json is damaged') });
    expect(await surroundings()).toEqual(before);
  });

  test.each([
    ['Inbox.mbox', []],
    ['Inbox.mbox.flags.jsonl', []],
    ['postrider-export.json', []],
    ['Work.mbox.flags.jsonl', []],
    ['Work/Inner.mbox', []],
    ['dovecot-keywords', asMaildirs],
  ])('when %s there is a symbolic link to a file', async (name, options) => {
    await fill();
    await mkdir(dirname(terminal.path('out', name)), { recursive: true });
    await symlink(await terminal.put('mine', ''), terminal.path('out', name));
    const before = await surroundings();
    expect(await run(...options)).toMatchObject({ code: 1, err: refusal });
    expect(await surroundings()).toEqual(before);
  });

  test.each([
    ['postrider-export.json.new', []],
    ['Inbox.mbox.flags.jsonl.new', []],
    ['dovecot-keywords.new', asMaildirs],
  ])('when the draft %s there is a symbolic link, which it replaces', async (name, options) => {
    await fill();
    await run(...options);
    await symlink(await terminal.put('mine', 'mine'), terminal.path('out', name));
    const [{ id }] = (await terminal.emails()) as [{ id: string }];
    await terminal.deployment.call('Email/set', { update: { [id]: { keywords: { changed: true } } } });
    expect(await run(...options)).toMatchObject({ code: 0 });
    expect(await readFile(terminal.path('mine'), 'utf8')).toBe('mine');
  });

  test.each([
    ['Work', []],
    ['cur', asMaildirs],
    ['tmp', asMaildirs],
    ['.Work', asMaildirs],
    ['.Work.Inner/cur', asMaildirs],
  ])('when %s there is a symbolic link to a folder', async (name, options) => {
    await fill();
    await mkdir(terminal.path('elsewhere'));
    await mkdir(dirname(terminal.path('out', name)), { recursive: true });
    await symlink(terminal.path('elsewhere'), terminal.path('out', name));
    const before = await surroundings();
    expect(await run(...options)).toMatchObject({ code: 1, err: expect.stringContaining('is a symbolic link') });
    expect(await surroundings()).toEqual(before);
  });

  test('when a file in the folder is a hard link to another file', async () => {
    await fill();
    await mkdir(terminal.path('out'));
    await link(await terminal.put('mine', ''), terminal.path('out', 'Inbox.mbox'));
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('a further link to another file') });
    expect(await readFile(terminal.path('mine'), 'utf8')).toBe('');
  });

  test('and no other user may read it, also when an empty file was there', async () => {
    await mkdir(terminal.path('out'));
    for (const name of ['Inbox.mbox', 'Inbox.mbox.flags.jsonl']) await chmod(await terminal.put(`out/${name}`, ''), 0o666);
    expect(await run()).toMatchObject({ code: 0 });
    for (const name of ['Inbox.mbox', 'Inbox.mbox.flags.jsonl']) expect((await stat(terminal.path('out', name))).mode & 0o777).toBe(0o600);
  });

  test('when an mbox or its flags file is a symbolic link', async () => {
    await fill();
    for (const name of ['one.mbox', 'two.mbox.flags.jsonl']) {
      await symlink(terminal.path('missing'), terminal.path(name));
      expect(await terminal.run('export', '--to', terminal.path(name.replace('.flags.jsonl', '')))).toMatchObject({ code: 1, err: refusal });
    }
    expect(await readdir(terminal.home)).not.toContain('missing');
  });

  test('when the server’s ids look like paths', async () => {
    const emails = ['../../../outside', `x${'y'.repeat(300)}`].map((id) => ({
      id,
      blobId: id,
      size: 2,
      mailboxIds: {},
      keywords: {},
      receivedAt: '2026-11-21T08:38:00Z',
    }));
    const settled: boolean[] = [];
    const target = {
      root: terminal.home,
      place: '.',
      emails,
      atOnce: 1,
      fetchMessages: async () => emails.map(() => Buffer.from('x\n')),
      settle: (_: unknown, wasThere: boolean) => void settled.push(wasThere),
      lostKeyword: () => undefined,
    };
    await exportMaildir(target);
    await exportMaildir(target);
    expect(settled).toEqual([false, false, true, true]);
    expect(await readdir(terminal.path('cur'))).toHaveLength(2);
  });
});

describe('an export to a folder with conflicting files', () => {
  test('continues after a failure because a file and a folder had the same name', async () => {
    for (const [name, child] of [
      ['A', undefined],
      ['A.mbox', 'C'],
    ] as const) {
      const { created } = await terminal.deployment.call('Mailbox/set', { create: { m: { name, parentId: null } } });
      if (child) await terminal.deployment.call('Mailbox/set', { create: { m: { name: child, parentId: created.m.id } } });
    }
    await mkdir(terminal.path('out', 'A.mbox'), { recursive: true });
    const places = { 'A.mbox': ['A'], 'A.mbox.mbox': ['A.mbox'], 'A.mbox/C.mbox': ['A.mbox', 'C'] };
    const mailboxes = Object.fromEntries(Object.entries(places).map(([place, path]) => [place, { path, role: null }]));
    await terminal.put('out/postrider-export.json', JSON.stringify({ format: 'mbox', mailboxes }));
    expect(await run()).toMatchObject({ code: 0, err: '' });
    const written = JSON.parse(await readFile(terminal.path('out', 'postrider-export.json'), 'utf8')) as { mailboxes: object };
    expect(written.mailboxes).toMatchObject({ 'A (2).mbox': { path: ['A'] }, 'A.mbox.mbox': { path: ['A.mbox'] }, 'A.mbox/C.mbox': { path: ['A.mbox', 'C'] } });
  });

  test('writes child mailboxes to another path when their folder is a file', async () => {
    await fill();
    await terminal.put('out/Work', 'mine');
    expect(await run()).toMatchObject({ code: 0, err: '' });
    expect(await readdir(terminal.path('out'))).toEqual(expect.arrayContaining(['Work', 'Work.mbox', 'Work_Inner.mbox']));
    expect(await readFile(terminal.path('out', 'Work'), 'utf8')).toBe('mine');
  });
});
