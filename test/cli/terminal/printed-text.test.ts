import { mkdir, writeFile } from 'node:fs/promises';
import { openPeopleTerminal } from '../admin/people/people-terminal.ts';
import { openMailTerminal, type MailTerminal } from '../mail-terminal.ts';

/** Foreign text that clears the screen, sets the window's title, moves the cursor, colours, and turns the line around. */
const hostile = '\u001b[2J\u001b]0;title\u0007\b\u009b31m\u202egnp\u2066\u2069';
const escaped = '\\u001b[2J\\u001b]0;title\\u0007\\u0008\\u009b31m\\u202egnp\\u2066\\u2069';
const unprintable = /[^\P{Cc}\n]|\p{Bidi_Control}/u;

describe('postrider prints no control character of', () => {
  let terminal: MailTerminal;
  beforeEach(async () => {
    terminal = await openMailTerminal();
  });
  afterEach(() => terminal.close());

  const vCard = (uid: string) => `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\r\nUID:${uid}\r\nEND:VCARD\r\n`;
  const answering = (body: string, answer: object) => {
    terminal.faults.next = (_, sent) => (sent.includes(body) ? { status: 200, body: { methodResponses: [answer] } } : undefined);
  };

  test.each<[string, () => Promise<string[]>]>([
    [
      'a folder’s name',
      async () => {
        await mkdir(terminal.path(`mail/${hostile}\nInbox: 7 messages`), { recursive: true });
        await writeFile(terminal.path(`mail/${hostile}\nInbox: 7 messages/a.eml`), 'Subject: a\n\n');
        return ['import', terminal.path('mail'), '--dry-run'];
      },
    ],
    [
      'a file’s name',
      async () => {
        await writeFile(terminal.path(`${hostile}.tgz`), 'x');
        return ['import', terminal.path(`${hostile}.tgz`)];
      },
    ],
    ['an export’s path', async () => ['export', '--to', terminal.path(hostile)]],
    ['an argument', async () => [hostile]],
    ['an account’s name', async () => ['import', '--account', hostile, terminal.path('mail')]],
    [
      'the answer of a server for one contact',
      async () => {
        await writeFile(terminal.path('a.vcf'), vCard('a'));
        answering('ContactCard/set', ['ContactCard/set', { created: null, notCreated: { c1: { type: 'forbidden', description: hostile } } }, 's']);
        return ['import', terminal.path('a.vcf')];
      },
    ],
    [
      'the answer of a server for a call',
      async () => {
        await writeFile(terminal.path('a.vcf'), vCard('a'));
        answering('AddressBook/get', ['error', { type: 'serverFail', description: hostile }, 'b']);
        return ['import', terminal.path('a.vcf')];
      },
    ],
  ])('%s', async (_, prepare) => {
    const { out, err } = await terminal.run(...(await prepare()));
    expect(`${out}${err}`).toContain(escaped);
    expect(`${out}${err}`).not.toMatch(unprintable);
    expect(out).not.toMatch(/^Inbox: 7/m);
  });
});

test('postrider-admin prints no control character of a table, of a name or of an answer, and the same text in JSON', async () => {
  const terminal = await openPeopleTerminal();
  const name = 'Ada \u202eada\u2066';
  const printed = [
    await terminal.apply(`email,display_name\nada@firm.example,"${name}"\n`, '--plan'),
    await terminal.apply(`email,display_name\nada@firm.example,"${hostile}\nline 9: eve"\n`, '--plan'),
    await terminal.apply(`email,display_name\nada@firm.example,"${name}"\n`, '--sheet', terminal.sheet),
    await terminal.run('people', 'apply', hostile),
    await terminal.run('users', hostile),
    await terminal.run('users', 'ListUsers', '--table'),
    await terminal.run('people', 'leave', name, '--mail', 'keep'),
  ];
  const { out: json } = await terminal.run('users', 'ListUsers');
  const { users } = JSON.parse(json) as { users: { name: string; primary_email: string }[] };
  await terminal.close();
  for (const { out, err } of [...printed, { out: json, err: '' }]) expect(`${out}${err}`).not.toMatch(unprintable);
  expect(printed[1]!.out).not.toMatch(/^line 9/m);
  expect(users.find(({ primary_email }) => primary_email === 'ada@firm.example')!.name).toBe(name);
});
