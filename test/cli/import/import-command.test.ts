import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { openMailTerminal, type MailTerminal } from '../mail-terminal.ts';

let terminal: MailTerminal;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(() => terminal.close());

const message = (name: string, more = '') => `From: a@example.net\nSubject: ${name}\nMessage-ID: <${name}@example.net>\n${more}\nHello from ${name}\n`;
const mboxOf = (...messages: string[]) =>
  messages.map((text, index) => `From a Sat Nov 21 08:38:${String(index % 60).padStart(2, '0')} 2026\n${text}\n`).join('');
const put = async (name: string, content: string | Buffer): Promise<string> => {
  const path = terminal.path(name);
  await mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true });
  await writeFile(path, content);
  return path;
};
/** The subjects of all Emails with the names of their mailboxes. */
const filed = async () => {
  const paths = await terminal.mailboxPaths();
  return (await terminal.emails())
    .map(
      ({ subject, mailboxIds }) =>
        `${String(subject)}: ${Object.keys(mailboxIds as object)
          .map((id) => paths.get(id) ?? '')
          .sort()
          .join(', ')}`,
    )
    .sort();
};
const callsOf = (method: string) => terminal.requests.filter(({ body }) => body.includes(`["${method}"`)).length;
const loseRecord = () => rm(terminal.path('.local'), { recursive: true });
const summary = (counts: string) => expect.stringContaining(`: ${counts}`);

describe('postrider import of an mbox', () => {
  test.each(['alice@example.test', 'Alice@Example.test', 'acc_alice’s mail', 'acc_alice'])('adds its messages to the account %s', async (account) => {
    expect(await terminal.run('import', '--account', account, await put('Work.mbox', mboxOf(message('one'))))).toMatchObject({ code: 0, err: '' });
    expect(await filed()).toEqual(['one: Work']);
  });

  test('adds its messages octet for octet, with folder, flags and dates', async () => {
    const crlf = message('two').replaceAll('\n', '\r\n');
    const path = await put('Work.mbox', mboxOf(message('one', 'Status: RO\nX-Keywords: Later\n')) + `From a Sat Nov 21 09:00:00 2026\r\n${crlf}\r\n`);
    expect(await terminal.run('import', path)).toEqual({ code: 0, err: '', out: '2 messages (192 octets): 2 imported, 0 there already, 0 failed.\n' });
    expect(await filed()).toEqual(['one: Work', 'two: Work']);
    const emails = await terminal.emails();
    expect(emails.map(({ subject, keywords, receivedAt }) => ({ subject, keywords, receivedAt }))).toEqual(
      expect.arrayContaining([
        { subject: 'one', keywords: ['$seen', 'later'], receivedAt: '2026-11-21T08:38:00Z' },
        { subject: 'two', keywords: [], receivedAt: '2026-11-21T09:00:00Z' },
      ]),
    );
    const two = emails.find(({ subject }) => subject === 'two')!;
    const raw = await fetch(`${terminal.url}/download?accountId=acc_alice&blobId=${two['blobId']}&name=x`, { headers: { authorization: 'Bearer alice' } });
    expect(await raw.text()).toBe(crlf);
  });

  test('puts Gmail’s messages into the mailboxes of their labels', async () => {
    const path = await put(
      'All mail Including Spam and Trash.mbox',
      mboxOf(
        message('a', 'X-Gmail-Labels: Inbox,Opened,Work/2026\n'),
        message('b', 'X-Gmail-Labels: Trash,Unread\n'),
        message('c', 'X-Gmail-Labels: Sent,Opened\n'),
      ),
    );
    expect(await terminal.run('import', path)).toMatchObject({ code: 0 });
    expect(await filed()).toEqual(['a: Inbox, Work/2026', 'b: Trash', 'c: Sent']);
  });

  test('puts folders below an inbox of another name below the inbox', async () => {
    await put('mail/Posteingang/Kunden/b.eml', message('b'));
    expect(await terminal.run('import', terminal.path('mail'))).toMatchObject({ code: 0 });
    expect(await filed()).toEqual(['b: Inbox/Kunden']);
  });

  test('maps folders and leaves some out', async () => {
    await put('mail/Posteingang/a.eml', message('a'));
    await put('mail/Posteingang/Kunden/b.eml', message('b'));
    await put('mail/Kalender/c.eml', message('c'));
    const { code, out } = await terminal.run('import', terminal.path('mail'), '--folder', 'Posteingang=Inbox', '--folder=Kalender=');
    expect([code, out]).toEqual([0, summary('2 imported, 0 there already, 1 left out by --folder, 0 failed')]);
    expect(await filed()).toEqual(['a: Inbox', 'b: Inbox/Kunden']);
  });
});

describe('postrider import again', () => {
  test('adds nothing, and sends no request', async () => {
    const path = await put('Work.mbox', mboxOf(message('one'), message('two')));
    await terminal.run('import', path);
    terminal.requests.length = 0;
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, out: summary('0 imported, 2 there already, 0 failed') });
    expect([callsOf('Email/import'), callsOf('Blob/upload'), callsOf('Email/set')]).toEqual([0, 0, 0]);
    expect(await filed()).toEqual(['one: Work', 'two: Work']);
  });

  test('adds only new messages of a newer copy, and neither moves back nor restores messages that the person moved or deleted', async () => {
    await terminal.run('import', await put('a/Work.mbox', mboxOf(message('one'), message('two'))));
    const { archive } = await terminal.deployment.roles();
    const [one, two] = (await terminal.emails()).sort((a, b) => (String(a['subject']) < String(b['subject']) ? -1 : 1));
    await terminal.deployment.call('Email/set', { update: { [one!['id']]: { mailboxIds: { [archive!]: true } } }, destroy: [two!['id']] });
    const newer = await put('b/Work.mbox', mboxOf(message('one'), message('two'), message('three')));
    expect(await terminal.run('import', newer)).toMatchObject({ code: 0, out: summary('1 imported, 2 there already, 0 failed') });
    expect(await filed()).toEqual(['one: Archive', 'three: Work']);
    expect(await terminal.run('import', newer, '--again')).toMatchObject({ out: summary('1 imported, 2 of the account put into further mailboxes') });
    expect(await filed()).toEqual(['one: Archive, Work', 'three: Work', 'two: Work']);
  });

  test('without its record finds the messages in the account by their octets', async () => {
    const same = message('same');
    const path = await put('Work.mbox', mboxOf(message('one'), same, message('without').replace(/Message-ID.*\n/, '')));
    await terminal.run('import', path);
    await loseRecord();
    terminal.requests.length = 0;
    const other = await put('Work2.mbox', mboxOf(same.replace('Hello', 'Hallo')));
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, out: summary('0 imported, 3 of the account put') });
    expect([callsOf('Email/import'), callsOf('Blob/upload')]).toEqual([0, 0]);
    expect(await terminal.run('import', other)).toMatchObject({ code: 0, out: summary('1 imported') });
    expect(await filed()).toEqual(['one: Work', 'same: Work', 'same: Work2', 'without: Work']);
  });

  test('continues after an incomplete last line of its record, which only its owner can read', async () => {
    const path = await put('Work.mbox', mboxOf(message('one'), message('two')));
    await terminal.run('import', path);
    const [name] = await readdir(terminal.path('.local/state/postrider/imports'));
    const record = terminal.path('.local/state/postrider/imports', name!);
    expect((await stat(record)).mode & 0o777).toBe(0o600);
    const text = await readFile(record, 'utf8');
    await writeFile(record, text.slice(0, -10));
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, out: summary('0 imported, 1 of the account put') });
    expect(await readFile(record, 'utf8')).toBe(text);
  });
});

describe('a message that occurs twice', () => {
  test('becomes one Email, in all its folders', async () => {
    for (const folder of ['A', 'B', 'Inbox']) await put(`mail/${folder}/a.eml`, message('a'));
    await put('mail/A/again.eml', message('a'));
    expect(await terminal.run('import', terminal.path('mail'))).toMatchObject({ code: 0, out: summary('1 imported, 3 there already, 0 failed') });
    expect(await filed()).toEqual(['a: A, B, Inbox']);
  });

  test('becomes one Email in all its folders, also when its occurrences are far apart', async () => {
    const filler = Array.from({ length: 120 }, (_, index) => message(`n${index}`));
    await put('mail/A.mbox', mboxOf(message('a'), ...filler.slice(0, 60)));
    await put('mail/B.mbox', mboxOf(message('a'), ...filler.slice(60), message('a')));
    expect(await terminal.run('import', terminal.path('mail'))).toMatchObject({
      code: 0,
      out: summary('121 imported, 1 of the account put into further mailboxes, 1 there already, 0 failed'),
    });
    expect((await filed()).filter((text) => text.startsWith('a:'))).toEqual(['a: A, B']);
    expect(await filed()).toHaveLength(121);
  });
});

describe('a server that fails', () => {
  const three = () => put('Work.mbox', mboxOf(message('one'), message('two'), message('three')));

  test('after serving an import does not cause duplicates', async () => {
    let lost = 0;
    terminal.faults.next = (_, body) => (body.includes('Email/import') && lost < 2 && ++lost ? 'lose' : undefined);
    expect(await terminal.run('import', await three())).toMatchObject({ code: 0, out: summary('0 imported, 3 of the account put') });
    expect(lost).toBe(2);
    expect(await filed()).toHaveLength(3);
  });

  test('temporarily gets the same requests again, with pauses', async () => {
    const faults = [{ status: 503 }, { status: 429 }, 'drop', { status: 500 }] as const;
    let next = 0;
    terminal.faults.next = () => faults[next++];
    const { code, err } = await terminal.run('import', await three());
    expect([code, err]).toEqual([0, expect.stringContaining('cannot be reached')]);
    expect(terminal.pauses).toHaveLength(4);
    expect(await filed()).toHaveLength(3);
  });

  test('for a long time ends the import with a message, and the next run continues', async () => {
    terminal.faults.next = (_, body) => (body.includes('Email/import') ? { status: 503 } : undefined);
    const path = await three();
    expect(await terminal.run('import', path)).toMatchObject({ code: 1, err: expect.stringContaining('Run the same command again later: it continues') });
    expect(terminal.pauses.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(9 * 60_000);
    terminal.faults.next = undefined;
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, out: summary('3 imported') });
  });

  const failedCall = (type: string) => ({ status: 200, body: { methodResponses: [['error', { type }, 'i']] } });
  const notImported = (error: object) => ({
    status: 200,
    body: { methodResponses: [['Email/import', { newState: 'x', created: null, notCreated: { m0: error, m1: error, m2: error } }, 'i']] },
  });

  test('because of constant changes by other clients gets requests again with pauses, then the import ends, and the next run continues', async () => {
    let imports = 0;
    terminal.faults.next = (_, body) => {
      if (!body.includes('"Email/import"')) return undefined;
      // Ends an import that asks without pauses.
      if (++imports > 200) terminal.interrupt();
      return failedCall('stateMismatch');
    };
    const path = await three();
    expect(await terminal.run('import', path)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/changes all the time.*Run the same command again later: it continues/s),
    });
    expect(imports).toBeLessThan(50);
    expect(terminal.pauses.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(9 * 60_000);
    terminal.faults.next = undefined;
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, out: summary('3 imported') });
  });

  test('uses up upload attempts only by uploads, not by conflicts or an exceeded rate', async () => {
    const answers = [
      failedCall('stateMismatch'),
      failedCall('stateMismatch'),
      failedCall('stateMismatch'),
      notImported({ type: 'rateLimit' }),
      notImported({ type: 'blobNotFound' }),
      notImported({ type: 'blobNotFound' }),
    ];
    terminal.faults.next = (_, body) => (body.includes('"Email/import"') ? answers.shift() : undefined);
    expect(await terminal.run('import', await three())).toMatchObject({ code: 0, out: summary('3 imported, 0 there already, 0 failed') });
    expect(callsOf('Blob/upload')).toBe(3);
  });

  test('to find an uploaded blob makes its messages fail after three uploads', async () => {
    terminal.faults.next = (_, body) => (body.includes('"Email/import"') ? notImported({ type: 'blobNotFound' }) : undefined);
    expect(await terminal.run('import', await three())).toMatchObject({ code: 4, out: summary('0 imported, 0 there already, 3 failed') });
    expect(callsOf('Blob/upload')).toBe(3);
  });

  test('because the account is full ends the import with a message, keeps the imported messages, and continues when there is room', async () => {
    const path = await put('Work.mbox', mboxOf(...Array.from({ length: 120 }, (_, index) => message(`n${index}`))));
    let imports = 0;
    terminal.faults.next = (_, body) => {
      if (!body.includes('"Email/import"') || ++imports < 2) return undefined;
      const notCreated = Object.fromEntries(Array.from({ length: 50 }, (__, index) => [`m${index}`, { type: 'overQuota', description: 'no room' }]));
      return {
        status: 200,
        body: { methodResponses: [['Email/import', { accountId: 'acc_alice', oldState: 'x', newState: 'x', created: null, notCreated }, 'i']] },
      };
    };
    expect(await terminal.run('import', path)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/50 imported.*the account is full \(overQuota: no room\).*it continues/s),
    });
    terminal.faults.next = undefined;
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, out: summary('70 imported, 50 there already') });
  });
});

describe('messages that cannot be imported', () => {
  test('are listed in a report, and the others are imported', async () => {
    await put('mail/Inbox/a.eml', message('a'));
    await put('mail/Inbox/b.eml', 'no header\n');
    await put('mail/Inbox/c.pdf', '%PDF');
    const { code, out } = await terminal.run('import', terminal.path('mail'), '--report', terminal.path('report.tsv'));
    expect([code, out]).toEqual([4, summary(`1 imported, 0 there already, 2 failed: see ${terminal.path('report.tsv')}`)]);
    expect(await readFile(terminal.path('report.tsv'), 'utf8')).toMatch(
      /^Inbox\/b\.eml\tit is not a message: it does not begin with fields such as From, Date and Subject\nInbox\/c\.pdf\tthe file is neither a message nor an mbox\n$/,
    );
    expect(await filed()).toEqual(['a: Inbox']);
  });

  test('are empty messages, first and in every later run, and all others are imported', async () => {
    for (const [name, content] of [
      ['0001', ''],
      ['0002', message('a')],
      ['0003', message('b')],
    ] as const)
      await put(`mail/Inbox/${name}.eml`, content);
    await put('mail/Work.mbox', `${mboxOf(message('c'))}From a Sat Nov 21 08:38:00 2026\n\n${mboxOf(message('d'))}`);
    const report = terminal.path('report.tsv');
    const empty = /^Inbox\/0001\.eml\tthe message is empty\nWork\.mbox: message 2 at octet \d+\tthe message is empty\n$/;
    for (const counts of ['4 imported, 0 there already, 2 failed', '0 imported, 4 there already, 2 failed']) {
      expect(await terminal.run('import', terminal.path('mail'), '--report', report)).toMatchObject({ code: 4, err: '', out: summary(counts) });
      expect(await readFile(report, 'utf8')).toMatch(empty);
    }
    expect(await terminal.run('import', terminal.path('mail'), '--dry-run', '--report', report)).toMatchObject({
      code: 4,
      out: expect.stringContaining('4 there already, 2 that cannot be imported'),
    });
    expect(await readFile(report, 'utf8')).toMatch(empty);
    expect(await filed()).toEqual(['a: Inbox', 'b: Inbox', 'c: Work', 'd: Work']);
  });

  test('are those whose mailbox the server refuses, after a single request', async () => {
    for (const name of ['a', 'b']) await put(`mail/Projects/${name}.eml`, message(name));
    await put('mail/Inbox/c.eml', message('c'));
    terminal.faults.next = (_, body) =>
      body.includes('Mailbox/set')
        ? { status: 200, body: { methodResponses: [['Mailbox/set', { notCreated: { new: { type: 'overQuota', description: 'too many mailboxes' } } }, 's']] } }
        : undefined;
    expect(await terminal.run('import', terminal.path('mail'), '--report', terminal.path('report.tsv'))).toMatchObject({
      code: 4,
      out: summary('1 imported, 0 there already, 2 failed'),
    });
    expect(await readFile(terminal.path('report.tsv'), 'utf8')).toContain('the mailbox Projects cannot be created: overQuota: too many mailboxes');
    expect(callsOf('Mailbox/set')).toBe(1);
  });

  test('are identified in a batch that the server refuses as a whole', async () => {
    const path = await put('Work.mbox', mboxOf(...Array.from({ length: 9 }, (_, index) => message(`n${index}`))));
    const { messages } = terminal.deployment.jmap.dependencies;
    const store = messages.store.bind(messages);
    messages.store = async (accountId, sources) => {
      if (sources.some(({ content }) => Buffer.isBuffer(content) && content.includes('Subject: n4'))) throw new Error('a bug');
      return store(accountId, sources);
    };
    const { code, out } = await terminal.run('import', path);
    expect([code, out]).toEqual([4, summary('8 imported, 0 there already, 1 failed')]);
    expect(await filed()).toHaveLength(8);
  });

  test('include those above the account’s maximum size, and those too large for an upload in parts', async () => {
    const large = `${message('large')}${`${'x'.repeat(75)}\n`.repeat(80_000)}`;
    const tooLarge = `${message('too large')}${`${'x'.repeat(75)}\n`.repeat(530_000)}`;
    const path = await put('Work.mbox', mboxOf(message('one'), tooLarge, large));
    expect(await terminal.run('import', path)).toMatchObject({ code: 4, out: summary('2 imported, 0 there already, 1 failed') });
    expect(await filed()).toEqual(['large: Work', 'one: Work']);
    const email = (await terminal.emails()).find(({ subject }) => subject === 'large')!;
    const raw = await fetch(`${terminal.url}/download?accountId=acc_alice&blobId=${email['blobId']}&name=x`, { headers: { authorization: 'Bearer alice' } });
    expect(Buffer.from(large).equals(Buffer.from(await raw.arrayBuffer()))).toBe(true);
  });
});

describe('what has no mail', () => {
  test('is left out, named in the report, and no failure', async () => {
    await put('mail/cur/1.a:2,', message('a'));
    await put('mail/dovecot-uidlist', '3 V1 N1\n');
    const report = terminal.path('report.tsv');
    expect(await terminal.run('import', terminal.path('mail'), '--report', report)).toMatchObject({
      code: 0,
      out: summary(`1 imported, 0 there already, 0 failed, 1 notes: see ${report}`),
    });
    expect(await readFile(report, 'utf8')).toMatch(/\tleft out, because mail programs keep no mail there: dovecot-uidlist\n$/);
  });
});

describe('postrider import', () => {
  test('with --dry-run counts folders, messages and existing Emails, and changes nothing', async () => {
    await put('mail/Inbox/a.eml', message('a'));
    await terminal.run('import', terminal.path('mail'));
    await put('mail/Projects/b.eml', message('b'));
    terminal.requests.length = 0;
    expect(await terminal.run('import', terminal.path('mail'), '--dry-run')).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(
        /^Inbox: 1 messages, \d+ octets, 1 there already\nProjects: 1 messages, .*, 0 there already\n2 messages .*: 1 there already, .*Nothing was changed\.\n$/,
      ),
    });
    expect(terminal.requests.map(({ body }) => body).join('')).not.toMatch(/Email\/import|Blob\/upload|\/set/);
    expect(await filed()).toEqual(['a: Inbox']);
  });

  test('ends after Ctrl-C with a report of the imported messages, and continues at the next run', async () => {
    const path = await put('Work.mbox', mboxOf(...Array.from({ length: 200 }, (_, index) => message(`n${index}`))));
    terminal.faults.next = (_, body) => {
      if (body.includes('Email/import')) terminal.interrupt();
      return undefined;
    };
    const { code, err } = await terminal.run('import', path);
    expect([code, err]).toEqual([130, expect.stringMatching(/^Interrupted\. .*Run the same command again to continue\.\n$/s)]);
    const imported = Number(/: (\d+) imported/.exec(err)?.[1]);
    expect(imported).toBeGreaterThan(0);
    expect(await terminal.emails()).toHaveLength(imported);
    terminal.faults.next = undefined;
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, out: summary(`${200 - imported} imported, ${imported} there already`) });
    expect(await terminal.emails()).toHaveLength(200);
  });

  test.each([
    [[], 'takes one SOURCE'],
    [['a', 'b'], 'takes one SOURCE'],
    [['/nowhere'], 'cannot be read: ENOENT'],
    [['ftp://x/y'], 'a source is a file'],
    [['s3://bucket'], 's3://BUCKET/KEY'],
    [['imaps://example.com'], 'imaps://USER@HOST'],
    [['imaps://a:secret@example.com'], 'must not be in the URL'],
    [['imap://a@example.com'], 'IMAP without TLS'],
    [['--mbox-quoting', 'odd', 'x'], 'mboxrd, mboxo, none'],
    [['--folder', 'x', 'y'], 'FROM=TO'],
    [['--colour', 'x'], '--colour'],
    [['--account', 'acc_bob', '/nowhere'], 'there is no account acc_bob'],
  ])('%j is refused', async (args, words) => {
    const { code, err } = await terminal.run('import', ...args);
    expect([code === 0, err]).toEqual([false, expect.stringContaining(words)]);
  });

  test('is refused for an account that is read-only', async () => {
    terminal.environment['POSTRIDER_TOKEN'] = 'bob';
    expect(await terminal.run('import', '--account', 'acc_alice', '/nowhere')).toMatchObject({ code: 1, err: expect.stringContaining('you may only read') });
  });

  test('with an invalid token names the command for signing in', async () => {
    terminal.environment['POSTRIDER_TOKEN'] = 'nobody';
    expect(await terminal.run('import', '/nowhere')).toMatchObject({ code: 3, err: expect.stringContaining('npx postrider login') });
  });
});
