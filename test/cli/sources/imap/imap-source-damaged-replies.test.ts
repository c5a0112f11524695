import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { assertProperty } from '../../../support/assert-property.ts';
import { imapServer, type ImapDamage, type ImapReply } from '../../../support/imap-server.ts';
import { openMailTerminal, type MailTerminal } from '../../mail-terminal.ts';

const date = '21-Nov-2026 08:38:00 +0000';
const rawOf = (name: string): Buffer =>
  Buffer.from(`Subject: ${name}\r\nMessage-ID: <${name}@example.net>\r\nDate: Mon, 02 Mar 2026 10:00:00 +0000\r\n\r\nText\r\n`);
const messagesOf = (...names: string[]) => names.map((name, index) => ({ uid: index + 1, raw: rawOf(name), flags: ['\\Seen'], date }));
const account = {
  folders: [
    { name: 'INBOX', messages: messagesOf('a', 'b', 'c', 'd') },
    { name: 'Work', messages: messagesOf('e', 'f') },
    { name: 'Work/Old mail', messages: messagesOf('g') },
  ],
};
const everything = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

let terminal: MailTerminal;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(() => terminal.close());

/** Imports from a server whose replies are damaged. @returns the exit code, the subjects that the account has, and the report. */
const importFrom = async (damage: ImapDamage, to = terminal, args: readonly string[] = []) => {
  const server = await imapServer(account, { damage });
  const report = to.path(`report-${Math.random()}.tsv`);
  const { code, out, err } = await to.run('import', server.url('ada'), '--report', report, ...args);
  server.close();
  const emails = await to.emails();
  return { code, out, err, emails, subjects: emails.map(({ subject }) => subject as string).sort(), report: await readFile(report, 'utf8').catch(() => '') };
};

const textOf = (response: Buffer): string => response.toString('latin1');

/** A damage of the responses to commands that match: each response becomes others. */
const changed =
  (command: RegExp, change: (response: string) => string | readonly string[]): ImapDamage =>
  (line, { responses, status }) => ({
    status,
    responses: command.test(line) ? responses.flatMap((response) => [change(textOf(response))].flat().map((each) => Buffer.from(each, 'latin1'))) : responses,
  });
const refused =
  (command: RegExp, status = 'NO not now'): ImapDamage =>
  (line, reply) =>
    command.test(line) ? { responses: [], status } : reply;
const without = (command: RegExp, response: RegExp): ImapDamage => changed(command, (text) => (response.test(text) ? [] : text));
const replaced = (command: RegExp, from: RegExp | string, to: string): ImapDamage => changed(command, (text) => text.replace(from, () => to));

const search = /^UID SEARCH/;
const flagsFetch = /^UID FETCH .*FLAGS/;
const contentFetch = /^UID FETCH .*BODY/;
const ofSecond = /UID 2\b/;
const secondFlags = (flags: string): ImapDamage =>
  changed(flagsFetch, (text) => (ofSecond.test(text) ? text.replace(/FLAGS \([^)]*\)/, () => `FLAGS (${flags})`) : text));
const internalDate = (value: string): ImapDamage => changed(/^UID FETCH .*INTERNALDATE/, (text) => text.replace(/ INTERNALDATE "[^"]*"/, () => value));

test.each<[string, ImapDamage]>([
  ['SEARCH is refused', refused(search)],
  ['SEARCH has no answer', without(search, /./)],
  ['SEARCH leaves out a UID', replaced(search, / 2\b/, '')],
  ['SEARCH is cut within a UID', replaced(search, /SEARCH .*/, 'SEARCH 1 2')],
  ['SEARCH names UIDs twice, and UIDs that do not exist', replaced(search, 'SEARCH ', 'SEARCH 4 4 77 1 ')],
  ['SEARCH has as many UIDs as the folder, but others', replaced(search, 'SEARCH 1', 'SEARCH 77')],
  ['SEARCH has what is no UID', replaced(search, 'SEARCH 1', 'SEARCH 1 x 0 -3 99999999999')],
  ['a FETCH line leaves out its UID', replaced(flagsFetch, /UID \d+ /, '')],
  ['a FETCH line leaves out its size', replaced(/^UID FETCH/, / RFC822.SIZE \d+/, '')],
  ['a FETCH line does not come', without(flagsFetch, ofSecond)],
  ['a FETCH line comes twice', changed(flagsFetch, (text) => [text, text])],
  ['a FETCH line has the UID of another message', replaced(flagsFetch, ofSecond, 'UID 1')],
  [
    'the content has the UID of another message',
    (line, reply) => (/^UID FETCH \S+,/.test(line) ? replaced(contentFetch, ofSecond, 'UID 1')(line, reply) : reply),
  ],
  ['the contents have no UID', replaced(contentFetch, /UID \d+ /, '')],
  ['a content comes twice', changed(contentFetch, (text) => [text, text])],
  ['contents of several messages are refused', refused(/^UID FETCH \S+[,:]\S+ .*BODY/)],
  ['contents of several messages do not come', without(/^UID FETCH \S+[,:]\S+ .*BODY/, /./)],
  ['a flag has a percent sign', secondFlags('\\Seen 100%')],
  ['a flag has parentheses', secondFlags('\\Seen a(b)')],
  ['a flag has a brace', secondFlags('{ \\Seen }')],
  ['a flag has a quotation mark', secondFlags('\\Seen "a')],
  ['a flag has a backslash', secondFlags('\\Seen a\\b')],
  ['a flag has a control character', secondFlags('\\Seen \u0004Junk')],
  ['a flag has 8 bits', secondFlags('\\Seen Gel\u00F6scht')],
  ['a flag is long', secondFlags(`\\Seen ${'x'.repeat(3000)}`)],
  ['there are very many flags', secondFlags(`\\Seen ${Array.from({ length: 300 }, (_, index) => `k${index}`).join(' ')}`)],
  ['an unknown item is outside the grammar', replaced(flagsFetch, ' FLAGS', ' X-FOO (a {x}) FLAGS')],
  ['STATUS is refused', refused(/^STATUS/)],
  ['STATUS has no answer', without(/^STATUS/, /./)],
  ['STATUS has another number', replaced(/^STATUS/, /MESSAGES \d+/, 'MESSAGES 77')],
  ['UIDVALIDITY is missing', without(/^EXAMINE/, /UIDVALIDITY/)],
  ['UIDVALIDITY is no number', replaced(/^EXAMINE/, /UIDVALIDITY \d+/, 'UIDVALIDITY x')],
  ['EXISTS is missing', without(/^EXAMINE/, /EXISTS/)],
  ['EXISTS is too small', replaced(/^EXAMINE/, /\d+ EXISTS/, '1 EXISTS')],
  ['a folder name has spaces without quotation marks', replaced(/^LIST/, '"Work/Old mail"', 'Work/Old mail')],
  ['a folder name is listed twice', changed(/^LIST/, (text) => [text, text])],
  ['the attributes of a folder are quoted', replaced(/^LIST/, '() "/" "Work"', '("\\HasChildren") "/" "Work"')],
  ['the attributes of a folder are missing', replaced(/^LIST/, '() "/" "Work"', '"/" "Work"')],
  ['the delimiter of a folder is missing', replaced(/^LIST/, '() "/" "Work"', '() "Work"')],
  ['the delimiter of a folder is not quoted', replaced(/^LIST/, '() "/" "Work"', '() / "Work"')],
  ['the last quotation mark of a folder name is missing', replaced(/^LIST/, '"Work"\r', '"Work\r')],
  ['LIST leaves out the inbox', without(/^LIST/, /INBOX/)],
  [
    'LIST leaves out a folder once',
    (() => {
      let lists = 0;
      return (line, reply) => (/^LIST "" "?\*/.test(line) && (lists += 1) % 2 === 1 ? without(/./, /"Work"/)(line, reply) : reply);
    })(),
  ],
  [
    'LSUB has a folder without mail',
    (line, reply) => (line.startsWith('LSUB') ? { ...reply, responses: [Buffer.from('* LSUB (\\Noselect) "/" "Work"\r\n')] } : reply),
  ],
  ['LSUB is refused', refused(/^LSUB/)],
])('all messages are imported when %s', async (_, damage) => {
  const { code, subjects, out } = await importFrom(damage);
  expect([code, subjects]).toEqual([0, everything]);
  expect(out).toContain('7 messages');
  expect(await importFrom(damage)).toMatchObject({ code: 0, out: expect.stringContaining('0 imported, 7 there already, 0 failed') as string });
});

test.each<[string, ImapDamage, number, RegExp]>([
  [
    'EXISTS is larger than what the server names',
    replaced(/^EXAMINE "?INBOX/, /\d+ EXISTS/, '9 EXISTS'),
    7,
    /^INBOX\tthe server says that the folder has 9 messages, but names only 4$/m,
  ],
  [
    'no answer says the number of messages',
    (line, reply) => without(/^EXAMINE "?INBOX/, /EXISTS/)(line, without(/^STATUS/, /INBOX/)(line, reply)),
    7,
    /^INBOX\tthe server does not say how many messages/m,
  ],
  [
    'a content is NIL',
    replaced(contentFetch, /^\* 2 FETCH \(UID 2 .*BODY\[\] \{[^]*/, '* 2 FETCH (UID 2 BODY[] NIL)\r\n'),
    5,
    /^INBOX: UID 2\tthe server did not send the message$/m,
  ],
  ['a content does not come', without(contentFetch, ofSecond), 5, /^Work: UID 2\tthe server did not send the message$/m],
  ['the contents come for other UIDs', replaced(contentFetch, ofSecond, 'UID 66'), 5, /^INBOX: UID 2\tthe server/m],
  ['a folder cannot be opened', refused(/^EXAMINE "?Work"?$/), 5, /^Work\tthe folder cannot be read any further: not now$/m],
  ['a folder has no name', replaced(/^LIST/, '() "/" "Work"', '() "/" ('), 5, /^127\.0\.0\.1\tthe server lists a folder in a form that cannot be read/m],
  ['a LIST response is cut', replaced(/^LIST/, '() "/" "Work"', '()'), 5, /^127\.0\.0\.1\tthe server lists a folder in a form that cannot be read/m],
  [
    'the beginning of a LIST response is damaged',
    replaced(/^LIST/, 'LIST () "/" "Work"', 'LAST () "/" "Work"'),
    5,
    /^127\.0\.0\.1\tthe server lists a folder in a form/m,
  ],
  ['a folder name is damaged', replaced(/^LIST/, '"Work"', 'W%rk)'), 5, /^W%rk\)\tthe folder cannot be read any further/m],
])('what is missing is named, and the exit code is 4, when %s', async (_, damage, count, line) => {
  const foretold = await importFrom(damage, terminal, ['--dry-run']);
  const { code, subjects, report } = await importFrom(damage);
  expect(report).toMatch(line);
  expect([code, subjects.length]).toEqual([4, count]);
  expect([foretold.code, foretold.report]).toEqual([4, report]);
});

test.each([
  [' INTERNALDATE "00-Jan-0000 00:00:00 +0000"', '2026-03-02T10:00:00Z'],
  [' INTERNALDATE ""', '2026-03-02T10:00:00Z'],
  ['', '2026-03-02T10:00:00Z'],
  [' INTERNALDATE NIL', '2026-03-02T10:00:00Z'],
  [' INTERNALDATE "01-Jan-10000 00:00:00 +0000"', '2026-03-02T10:00:00Z'],
  [' INTERNALDATE "31-Dec-9999 23:59:59 -1200"', '2026-03-02T10:00:00Z'],
  [' INTERNALDATE "yesterday"', '2026-03-02T10:00:00Z'],
  [' INTERNALDATE "02-Jan-1969 10:00:00 +0000"', '1969-01-02T10:00:00Z'],
  [' INTERNALDATE " 2-Jan-2001 10:00:00 +0100"', '2001-01-02T09:00:00Z'],
])('a message with%s is received at %s', async (item, receivedAt) => {
  const { code, emails } = await importFrom(internalDate(item));
  expect(code).toBe(0);
  expect(new Set(emails.map((email) => email['receivedAt']))).toEqual(new Set([receivedAt]));
});

test('system flags and keywords are kept when another keyword is outside the grammar', async () => {
  const { emails } = await importFrom(secondFlags('\\Seen \\Flagged 100% a(b) $Label1'));
  expect(emails.find(({ subject }) => subject === 'b')).toMatchObject({ keywords: ['$flagged', '$label1', '$seen', '100_', 'a_b_'] });
});

test('keywords above the maximum of the account are a note', async () => {
  const damage = secondFlags(`\\Seen ${Array.from({ length: 120 }, (_, index) => `k${index}`).join(' ')}`);
  expect(await importFrom(damage)).toMatchObject({
    code: 0,
    subjects: everything,
    report: expect.stringContaining('INBOX: UID 2\t21 of its keywords are left out: the account takes at most 100\n') as string,
  });
});

test('a message that is removed while the folder is read is a note', async () => {
  let isGone = false;
  const damage: ImapDamage = (line, { responses, status }) => {
    if (flagsFetch.test(line)) isGone = true;
    const kept = isGone ? responses.filter((response) => !textOf(response).startsWith('* 2 FETCH')) : responses;
    return { status, responses: flagsFetch.test(line) && line.includes('1,2,3,4') ? [...kept, Buffer.from('* 2 EXPUNGE\r\n')] : kept };
  };
  const { code, subjects, report } = await importFrom((line, reply) => (line.includes('1,2 ') ? reply : damage(line, reply)));
  expect([code, subjects, report]).toEqual([0, ['a', 'c', 'd', 'e', 'f', 'g'], 'INBOX: UID 2\tthe server names this message, but does not have it\n']);
});

test('flags that the server does not say are a note', async () => {
  expect(await importFrom(replaced(/^UID FETCH/, / FLAGS \([^)]*\)/, ''))).toMatchObject({
    code: 0,
    subjects: everything,
    report: expect.stringContaining('INBOX: UID 2\tthe server did not say its flags') as string,
  });
});

test('a server that lists no folder stops the import', async () => {
  expect(await importFrom((line, reply) => without(/^LIST/, /./)(line, refused(/^STATUS/)(line, reply)))).toMatchObject({
    code: 1,
    err: expect.stringContaining('127.0.0.1 lists no folder') as string,
  });
});

/**
 * What happens to one response. The end of a line and the octets that a literal announces stay: a client can only wait
 * for octets that do not come.
 */
const damages: { readonly [name: string]: (line: string, at: number) => string | readonly string[] } = {
  drops: () => [],
  repeats: (line) => [line, line],
  truncates: (line, at) => line.slice(0, 3 + (at % line.length)),
  'damages an octet of': (line, at) => line.slice(0, at % line.length) + String.fromCharCode(32 + (at % 224)) + line.slice((at % line.length) + 1),
  'changes numbers in': (line, at) =>
    line.replaceAll(/\d+/g, (digits, offset) => (offset === 2 || at % 3 === 0 ? digits : String(Math.max(0, Number(digits) + (at % 5) - 2)))),
};
const damaged = (response: Buffer, kind: string, at: number): Buffer[] => {
  const text = textOf(response);
  const end = text.includes(' BODY[]') ? text.indexOf(' BODY[]') : text.length - 2;
  const damage = kind === 'truncates' && end < text.length - 2 ? 'drops' : kind;
  const lines =
    damage === 'repeats' || damage === 'drops'
      ? [damages[damage]!(text, at)].flat()
      : [damages[damage]!(text.slice(0, end), at)].flat().map((line) => line + text.slice(end));
  return lines.map((line) => Buffer.from(line, 'latin1'));
};

test('a message that is neither imported nor there already is named, whatever a server answers', async () => {
  const faults = fc.record({
    command: fc.constantFrom('LIST', 'STATUS', 'EXAMINE', 'UID SEARCH', 'UID FETCH'),
    nth: fc.nat({ max: 6 }),
    response: fc.nat({ max: 4 }),
    kind: fc.constantFrom(...Object.keys(damages), 'refuses'),
    at: fc.nat({ max: 400 }),
    isAlways: fc.boolean(),
  });
  await assertProperty(
    fc.asyncProperty(faults, async ({ command, nth, response, kind, at, isAlways }) => {
      let seen = 0;
      const damage = (line: string, reply: ImapReply): ImapReply => {
        const isMeant =
          line.startsWith(command) &&
          line !== 'LIST "" ""' &&
          (isAlways || seen === nth) &&
          // A folder that a server never lists is one that nobody knows.
          !(command === 'LIST' && kind === 'drops' && isAlways);
        if (line.startsWith(command)) seen += 1;
        if (!isMeant) return reply;
        if (kind === 'refuses') return { responses: reply.responses.slice(0, response), status: at % 2 === 0 ? 'NO not now' : 'BAD what' };
        return { ...reply, responses: reply.responses.flatMap((each, index) => (index === response ? damaged(each, kind, at) : [each])) };
      };
      const other = await openMailTerminal();
      try {
        const { code, subjects } = await importFrom(damage, other);
        if (code === 0) expect(subjects).toEqual(everything);
      } finally {
        await other.close();
      }
    }),
    { numRuns: 40 },
  );
});
