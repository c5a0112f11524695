import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { openMailTerminal, type MailTerminal } from '../mail-terminal.ts';

let terminal: MailTerminal;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(() => terminal.close());

const message = (name: string, body = `Hello from ${name}\n`) => `From: a@example.net\nSubject: ${name}\nMessage-ID: <${name}@example.net>\n\n${body}`;

/** Adds a message to Alice's account; mailboxes by role or name. */
const add = async (raw: string, mailboxIds: readonly string[], { keywords = [] as string[], receivedAt = '2026-11-21T08:38:00Z' } = {}): Promise<string> => {
  const answer = await fetch(`${terminal.url}/upload/acc_alice`, {
    method: 'POST',
    headers: { authorization: 'Bearer alice' },
    body: Buffer.from(raw, 'latin1'),
  });
  const { blobId } = (await answer.json()) as { blobId: string };
  const { created, notCreated } = await terminal.deployment.call('Email/import', {
    emails: {
      m: {
        blobId,
        receivedAt,
        mailboxIds: Object.fromEntries(mailboxIds.map((id) => [id, true])),
        keywords: Object.fromEntries(keywords.map((each) => [each, true])),
      },
    },
  });
  if (!created?.m) throw new Error(JSON.stringify(notCreated));
  return created.m.id as string;
};

const makeMailbox = async (name: string, parentId: string | null = null): Promise<string> =>
  (await terminal.deployment.call('Mailbox/set', { create: { m: { name, parentId } } }))['created'].m.id as string;

/** Adds messages that are difficult to export: to an inbox, to folders with unusual names, and one to two folders. */
const fillAccount = async () => {
  const { inbox, sent } = await terminal.deployment.roles();
  const work = await makeMailbox('Work/2026. "Q1"');
  const inner = await makeMailbox('Größe', work);
  await add(message('one', 'From here on\n\nFrom a Sat Nov 21 08:38:00 2026\nX: y\n>From there\n'), [inbox!], { keywords: ['$seen', '$flagged', 'later'] });
  await add(message('crlf').replaceAll('\n', '\r\n'), [inbox!, work], { keywords: ['$answered'], receivedAt: '2026-11-21T09:00:00Z' });
  await add(message('no line end', 'the end'), [inner], { receivedAt: '2020-02-29T23:59:59Z' });
  await add(`Return-Path: <b@example.net>\r\n${message('mixed', 'a\nb\r\n\n\n')}`, [sent!], { keywords: ['$draft', '$forwarded'] });
};

/** All Emails with their raw messages and the paths of their mailboxes, without ids. */
const account = async (accountId = 'acc_alice') => {
  const paths = await terminal.mailboxPaths(accountId);
  const emails = await Promise.all(
    (await terminal.emails(accountId)).map(async ({ blobId, mailboxIds, keywords, receivedAt }) => {
      const url = `${terminal.url}/download?accountId=${accountId}&blobId=${String(blobId)}&name=x`;
      const raw = await fetch(url, { headers: { authorization: `Bearer ${accountId.slice(4)}` } });
      return {
        raw: Buffer.from(await raw.arrayBuffer()).toString('latin1'),
        keywords,
        receivedAt,
        mailboxes: Object.keys(mailboxIds as object)
          .map((id) => paths.get(id) ?? '')
          .sort(),
      };
    }),
  );
  return emails.sort((one, other) => (one.raw < other.raw ? -1 : 1));
};

const asBob = (): void => {
  terminal.environment['POSTRIDER_TOKEN'] = 'bob';
};

describe.each([
  ['mboxes', ['--to', 'out']],
  ['maildirs', ['--to', 'out', '--format', 'maildir']],
  ['one mbox', ['--to', 'out.mbox']],
])('postrider export to %s', (_, [option, to, ...more]) => {
  const target = () => terminal.path(to!);
  const run = () => terminal.run('export', option!, target(), ...more);

  test('import restores an exported account: messages octet for octet, mailboxes, keywords and dates', async () => {
    await fillAccount();
    expect(await run()).toEqual({ code: 0, err: '', out: expect.stringMatching(/^[45] messages \(\d+ octets\) to .*: [45] written, 0 there already\.\n$/) });
    const exported = await account();
    asBob();
    expect(await terminal.run('import', target())).toMatchObject({ code: 0, out: expect.stringContaining(': 4 imported') });
    expect(await account('acc_bob')).toEqual(exported);
  });

  test('a second export writes only new messages, with the current flags', async () => {
    await fillAccount();
    await run();
    const [{ id }] = (await terminal.emails()).filter(({ subject }) => subject === 'one') as [{ id: string }];
    await terminal.deployment.call('Email/set', { update: { [id]: { keywords: { $junk: true, $seen: true } } } });
    const { inbox } = await terminal.deployment.roles();
    await add(message('new'), [inbox!], { receivedAt: '2026-11-22T00:00:00Z' });
    expect(await run()).toMatchObject({ code: 0, out: expect.stringMatching(/: 1 written, [45] there already/) });
    const exported = await account();
    asBob();
    await terminal.run('import', target());
    expect(await account('acc_bob')).toEqual(exported);
  });

  test('an export ends after Ctrl-C, and the next run continues it', async () => {
    const { inbox } = await terminal.deployment.roles();
    // Each is a request of its own.
    for (let index = 0; index < 8; index += 1) await add(message(`n${index}`, `${'x'.repeat(1099)}\n`.repeat(1000)), [inbox!]);
    let downloads = 0;
    terminal.faults.next = (path) => {
      if (path === '/download' && ++downloads === 3) terminal.interrupt();
      return undefined;
    };
    expect(await run()).toMatchObject({ code: 130, err: expect.stringContaining('Run the same command again') });
    terminal.faults.next = undefined;
    terminal.requests.length = 0;
    expect(await run()).toMatchObject({ code: 0, out: expect.stringMatching(/: \d+ written, [1-9]\d* there already/) });
    expect(terminal.requests.filter(({ path }) => path === '/download').length).toBeLessThan(8);
    const exported = await account();
    asBob();
    await terminal.run('import', target());
    expect(await account('acc_bob')).toEqual(exported);
  });
});

describe('an exported mbox', () => {
  test('is an mboxrd with the dates and envelope senders of its messages', async () => {
    await fillAccount();
    await terminal.run('export', '--to', terminal.path('out'));
    const sent = await readFile(terminal.path('out', 'Sent.mbox'), 'latin1');
    expect(sent).toBe(`From b@example.net Sat Nov 21 08:38:00 2026\r\nReturn-Path: <b@example.net>\r\n${message('mixed', 'a\nb\r\n\n\n')}\r\n`);
    const inbox = await readFile(terminal.path('out', 'Inbox.mbox'), 'latin1');
    expect(inbox).toContain('\n>From here on\n\n>From a Sat Nov 21 08:38:00 2026\nX: y\n>>From there\n\nFrom MAILER-DAEMON Sat Nov 21 09:00:00 2026\r\n');
    expect((await stat(terminal.path('out', 'Inbox.mbox'))).mode & 0o777).toBe(0o600);
    expect((await readdir(terminal.path('out'))).filter((name) => name.endsWith('.mbox')).sort()).toContain('Work_2026. _Q1_.mbox');
  });

  test('continues after its last complete message when writing it was interrupted', async () => {
    const { inbox } = await terminal.deployment.roles();
    for (let index = 0; index < 5; index += 1) await add(message(`n${index}`), [inbox!], { receivedAt: `2026-11-21T08:38:0${index}Z` });
    const [path, flags] = [terminal.path('out', 'Inbox.mbox'), terminal.path('out', 'Inbox.mbox.flags.jsonl')];
    await terminal.run('export', '--to', terminal.path('out'));
    const whole = await readFile(path, 'utf8');
    const wholeFlags = await readFile(flags, 'utf8');
    const damages: (() => Promise<void>)[] = [
      () => truncate(path, whole.length - 30),
      () => truncate(flags, wholeFlags.length - 30),
      async () => {
        await truncate(flags, 0);
      },
      () => appendFile(path, 'From incomplete'),
      () => appendFile(flags, '{"id":"x","end":9'),
    ];
    for (const damage of damages) {
      await damage();
      expect(await terminal.run('export', '--to', terminal.path('out'))).toMatchObject({ code: 0 });
      expect([await readFile(path, 'utf8'), await readFile(flags, 'utf8')]).toEqual([whole, wholeFlags]);
    }
  });

  test('does not overwrite another file', async () => {
    await writeFile(terminal.path('mine.mbox'), 'From me\n');
    expect(await terminal.run('export', '--to', terminal.path('mine.mbox'))).toMatchObject({ code: 1, err: expect.stringContaining('did not write it') });
    expect(await readFile(terminal.path('mine.mbox'), 'utf8')).toBe('From me\n');
  });
});

describe('an exported maildir', () => {
  test('has Dovecot’s folders, keywords and flags, and the dates of its messages', async () => {
    await fillAccount();
    await terminal.run('export', '--to', terminal.path('out'), '--format', 'maildir');
    expect(await readdir(terminal.path('out'))).toEqual(
      expect.arrayContaining(['cur', 'new', 'tmp', 'dovecot-keywords', '.Sent', '.Work_2026_ "Q1".Gr&APYA3w-e']),
    );
    expect(await readFile(terminal.path('out', 'dovecot-keywords'), 'utf8')).toBe('0 later\n');
    const names = await readdir(terminal.path('out', 'cur'));
    expect(names.map((name) => name.replace(/\.M[\w-]+\./, '.ID.')).sort()).toEqual([
      expect.stringMatching(/^1795250280\.ID\.exported,S=\d+:2,FSa$/),
      expect.stringMatching(/^1795251600\.ID\.exported,S=\d+:2,R$/),
    ]);
    expect((await stat(terminal.path('out', 'cur', names.sort()[0]!))).mtime.toISOString()).toBe('2026-11-21T08:38:00.000Z');
  });

  test('reports the keywords for which no letter is left', async () => {
    const { inbox } = await terminal.deployment.roles();
    await add(message('one'), [inbox!], { keywords: Array.from({ length: 28 }, (_, index) => `k${String(index).padStart(2, '0')}`) });
    expect(await terminal.run('export', '--to', terminal.path('out'), '--format', 'maildir')).toMatchObject({
      code: 0,
      err: expect.stringMatching(/at most 26 keywords; k26 is left out\n.*k27 is left out/),
    });
  });
});

describe('postrider export', () => {
  test('of an empty account writes its mailboxes', async () => {
    expect(await terminal.run('export', '--to', terminal.path('out'))).toMatchObject({ code: 0, out: expect.stringContaining('0 messages') });
    expect(await readdir(terminal.path('out'))).toContain('Inbox.mbox');
  });

  test('leaves out messages that are destroyed during the export, and reports them', async () => {
    const { inbox } = await terminal.deployment.roles();
    const id = await add(message('one'), [inbox!]);
    await add(message('two'), [inbox!]);
    terminal.faults.next = async (path, body) => {
      if (path === '/download' || body.includes('Blob/get')) await terminal.deployment.call('Email/set', { destroy: [id] });
      return undefined;
    };
    expect(await terminal.run('export', '--to', terminal.path('out'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 written, 0 there already, 1 not written'),
      err: expect.stringContaining('deleted'),
    });
  });

  test('gives mailboxes paths that differ on every file system, and keeps these paths', async () => {
    for (const name of ['a:b', 'a_b', 'A_B', '..', 'CON.']) await makeMailbox(name);
    await terminal.run('export', '--to', terminal.path('out'));
    const names = (await readdir(terminal.path('out'))).filter((name) => name.endsWith('.mbox')).sort();
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    await makeMailbox('a*b');
    await terminal.run('export', '--to', terminal.path('out'));
    expect((await readdir(terminal.path('out'))).filter((name) => name.endsWith('.mbox'))).toEqual(expect.arrayContaining(names));
  });

  test.each([
    [[], 'takes --to'],
    [['--to', 'x', '--format', 'pst'], 'mbox, maildir'],
    [['--to', 'x.mbox', '--format', 'maildir'], 'not possible'],
    [['--to', 'x', 'y'], 'y'],
    [['--account', 'acc_none', '--to', 'x'], 'there is no account'],
  ])('%j is refused', async (args, words) => {
    expect(await terminal.run('export', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  });
});
