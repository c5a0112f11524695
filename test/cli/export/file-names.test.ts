import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openMailTerminal, type MailTerminal } from '../mail-terminal.ts';

let terminal: MailTerminal;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(() => terminal.close());

/**
 * Names that a mailbox may have (RFC 8621 §2), but that have another meaning for file systems, maildirs or mail
 * programs.
 */
const paths: readonly (readonly string[])[] = [
  ['漢'.repeat(80)],
  ['漢'.repeat(79) + '字'],
  ['a'.repeat(255)],
  ['a'.repeat(254), 'b'.repeat(255)],
  ['👩‍🚀'.repeat(20)],
  ['A'],
  ['A.mbox', 'C'],
  ['B.mbox.flags.jsonl', 'C'],
  ['B'],
  ['postrider-export.json', 'C'],
  ['postrider-export.json'],
  ['x.new', 'C'],
  ['work'],
  ['Work'],
  ['WORK', 'a'],
  ['Work', 'A'],
  ['WORK', 'Old', 'a'],
  ['Work', 'old', 'b'],
  ['Stra\u00dfe'],
  ['STRASSE'],
  ['\u00e9t\u00e9'],
  ['e\u0301te\u0301'],
  ['\ufb01n'],
  ['fin'],
  ['zero\u200bwidth'],
  ['zerowidth'],
  ['a:b'],
  ['a_b'],
  ['a*b'],
  ['a/b'],
  ['a\\b'],
  ['a', 'b'],
  ['.'],
  ['..'],
  ['...', '..'],
  ['.hidden'],
  ['CON'],
  ['con.txt', 'Aux'],
  ['LPT1'],
  ['COM\u00b9'],
  ['ends. '],
  [' begins'],
  ['tab\u00a0'],
  ['new', 'a'],
  ['cur', 'a'],
  ['tmp', 'a'],
  ['new'],
  ['cur'],
  ['courier'],
  ['dovecot-list'],
  ['maildirs'],
  ['subscriptions'],
  ['note.eml'],
  ['page.html'],
  ['mbox'],
  ['INBOX'],
  ['INBOX', 'a'],
  ['Inbox', 'a'],
  ['Trash', 'sent'],
  ['[Gmail]', 'Sent'],
  ['__proto__'],
  ['&'],
  ['&-'],
  ['&AOk-'],
  Array.from({ length: 10 }, (_, depth) => String(depth).repeat(255)),
  Array.from({ length: 10 }, (_, depth) => (depth < 9 ? String(depth).repeat(255) : 'x')),
];

const made = new Map<string, string>();
const makeMailbox = async (path: readonly string[]): Promise<string> => {
  const key = JSON.stringify(path);
  const known = made.get(key);
  if (known !== undefined) return known;
  const parentId = path.length > 1 ? await makeMailbox(path.slice(0, -1)) : null;
  const { created, notCreated } = await terminal.deployment.call('Mailbox/set', { create: { m: { name: path.at(-1), parentId } } });
  const id = (created?.m.id ?? notCreated?.m.existingId) as string;
  made.set(key, id);
  return id;
};

/** Adds a message to each mailbox, with its path as the subject. */
const fill = async (): Promise<void> => {
  made.clear();
  for (const [index, path] of paths.entries()) {
    const id = await makeMailbox(path);
    const answer = await fetch(`${terminal.url}/upload/acc_alice`, {
      method: 'POST',
      headers: { authorization: 'Bearer alice' },
      body: `Subject: n${index}\nMessage-ID: <${index}@example.net>\n\nx\n`,
    });
    const { blobId } = (await answer.json()) as { blobId: string };
    const { created } = await terminal.deployment.call('Email/import', { emails: { m: { blobId, mailboxIds: { [id]: true } } } });
    expect(created).toBeTruthy();
  }
};

/** The names of the mailboxes of each message, from the root. */
const filed = async (accountId: string) => {
  const { list } = (await terminal.deployment.call('Mailbox/get', { accountId, ids: null }, { token: accountId.slice(4) })) as {
    list: { id: string; name: string; parentId: string | null }[];
  };
  const namesOf = (id: string | null): string[] => {
    const mailbox = list.find((each) => each.id === id);
    return mailbox ? [...namesOf(mailbox.parentId), mailbox.name] : [];
  };
  const emails = await terminal.emails(accountId);
  return Object.fromEntries(emails.map(({ subject, mailboxIds }) => [subject, Object.keys(mailboxIds as object).map(namesOf)]));
};

/** A name in the form by which file systems compare it if they ignore case and normalise Unicode. */
const compared = (path: string): string =>
  path
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .toUpperCase();

describe.each([
  ['mboxes', 'out', []],
  ['maildirs', 'out', ['--format', 'maildir']],
  ['one mbox', 'out.mbox', []],
])('an export as %s', (_, to, options) => {
  test('an export keeps all names that a mailbox may have, and gives each mailbox a different path', async () => {
    await fill();
    const run = () => terminal.run('export', '--to', terminal.path(to), ...options);
    const isFolder = to === 'out';
    expect(await run()).toMatchObject({ code: 0, err: '' });
    const manifest = isFolder ? await readFile(terminal.path(to, 'postrider-export.json'), 'utf8') : '';
    expect(await run()).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`: 0 written, ${paths.length} there already`) });
    if (isFolder) {
      expect(await readFile(terminal.path(to, 'postrider-export.json'), 'utf8')).toBe(manifest);
      const files = await readdir(terminal.path(to), { recursive: true });
      const names = files.flatMap((file) => file.split('/'));
      expect(names.filter((name) => Buffer.byteLength(name) > 255 || /[\p{Cc}\u2028\u2029]|[. ]$/u.test(name))).toEqual([]);
      expect(new Set(files.map(compared)).size).toBe(files.length);
      const reserved = /^(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(?:\.|$)/i;
      if (options.length === 0) expect(names.filter((name) => reserved.test(name) || /[\\:*?"<>|]/.test(name))).toEqual([]);
    }
    const exported = await filed('acc_alice');
    terminal.environment['POSTRIDER_TOKEN'] = 'bob';
    expect(await terminal.run('import', join(terminal.home, to))).toMatchObject({ code: 0, out: expect.stringContaining(`: ${paths.length} imported`) });
    expect(await filed('acc_bob')).toEqual(exported);
  });
});

test('an export has the same mailbox names after a copy to a file system that changes letter case and Unicode form', async () => {
  for (const [name, subject] of [
    ['\u00c9t\u00e9', 'a'],
    ['Work', 'b'],
  ] as const) {
    const { created } = await terminal.deployment.call('Mailbox/set', { create: { m: { name, parentId: null } } });
    await terminal.deployment.call('Email/set', { create: { e: { mailboxIds: { [created.m.id]: true }, subject } } });
  }
  await terminal.run('export', '--to', terminal.path('out'));
  for (const name of (await readdir(terminal.path('out'))).filter((each) => !each.startsWith('postrider'))) {
    const [plain, suffix] = [name.split('.')[0]!, name.slice(name.indexOf('.'))];
    await rename(terminal.path('out', name), terminal.path('out', `${plain.normalize('NFD').toUpperCase()}${suffix}`));
  }
  const exported = await filed('acc_alice');
  terminal.environment['POSTRIDER_TOKEN'] = 'bob';
  expect(await terminal.run('import', terminal.path('out'))).toMatchObject({ code: 0 });
  expect(await filed('acc_bob')).toEqual(exported);
});
