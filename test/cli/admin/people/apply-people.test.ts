import { chmod, link, readFile, stat, symlink } from 'node:fs/promises';
import { inheritedNames } from '../../../support/inherited-names.ts';
import { openPeopleTerminal, type PeopleTerminal } from './people-terminal.ts';

let terminal: PeopleTerminal;
beforeEach(async () => {
  terminal = await openPeopleTerminal();
});
afterEach(() => terminal.close());

const firm = [
  'email,display_name,mail_address,aliases,is_admin,shared_mailboxes,invitation_email',
  'ada@firm.example,Ada Lovelace,ada@firm.example,lovelace@firm.example a.l@firm.example,yes,sales@firm.example:ADMIN,',
  'ben@firm.example,Ben Bär,ben@firm.example,,,sales@firm.example info@firm.example:READ,',
  'cleo@home.example,Cleo,cleo@firm.example,,no,info@firm.example:ADMIN,',
  'dan@firm.example,Dan,dan@firm.example,,,,dan@home.example',
  '',
].join('\n');

/** The file with a column of groups, which are the same for all people. */
const withGroups = (file: string, groups: string): string =>
  file
    .trim()
    .split('\n')
    .map((line, index) => `${line},${index === 0 ? 'groups' : groups}`)
    .join('\n');

const passwordsIn = (html: string): string[] => [...html.matchAll(/Temporary password<\/dt><dd>([^<]+)/g)].map(([, password]) => password!);

describe('people apply', () => {
  test('makes people, mailboxes, aliases, admins and shared mailboxes, and says what became of each line', async () => {
    const { code, out } = await terminal.apply(firm, '--sheet', terminal.sheet);
    expect(code).toBe(0);
    expect(out).toContain(
      'line 2: ada@firm.example: invite with a temporary password on the sheet; make an admin; mailbox ada@firm.example; ' +
        'alias lovelace@firm.example; alias a.l@firm.example\n',
    );
    expect(out).toContain('line 5: dan@firm.example: invite by mail to the private address; mailbox dan@firm.example\n');
    expect(out).toContain('4 people changed, 0 people as the file says.');
    expect(await terminal.user('ada@firm.example')).toMatchObject({ display_name: 'Ada Lovelace', is_admin: true, sign_in_state: 'INVITED' });
    expect((await terminal.aliases('ada@firm.example')).map(({ email, can_send_from: sends, name }) => `${email} ${sends} ${name}`).sort()).toEqual([
      'a.l@firm.example true Ada Lovelace',
      'ada@firm.example true Ada Lovelace',
      'lovelace@firm.example true Ada Lovelace',
    ]);
    expect(await terminal.members('sales@firm.example')).toEqual(['Ada Lovelace ADMIN', 'Ben Bär WRITE']);
    expect(await terminal.members('info@firm.example')).toEqual(['Ben Bär READ', 'Cleo ADMIN']);
    expect((await terminal.find('info@firm.example')).account).toMatchObject({ name: 'Info', shared: true });
    expect((await terminal.find('cleo@firm.example')).account).toMatchObject({ name: 'Cleo' });
  });

  test('changes nothing with --plan, and says what it would change', async () => {
    expect(await terminal.changesOf(() => terminal.apply(firm, '--plan', '--sheet', terminal.sheet))).toEqual([]);
    const { code, out } = await terminal.apply(firm, '--plan');
    expect([code, out.split('\n').at(-2)]).toEqual([0, '4 people to change, 0 people as the file says. Nothing was changed.']);
    expect(out).toContain(
      'line 3: ben@firm.example: invite without a password; mailbox ben@firm.example; WRITE of sales@firm.example; ' +
        'READ of info@firm.example; cannot sign in yet: give --sheet FILE, or an invitation_email',
    );
    await expect(stat(terminal.sheet)).rejects.toThrow('ENOENT');
  });

  test('changes nothing when it runs again with the same file', async () => {
    await terminal.apply(firm, '--sheet', terminal.sheet);
    const sheet = await readFile(terminal.sheet, 'utf8');
    expect(await terminal.changesOf(() => terminal.apply(firm, '--sheet', terminal.sheet))).toEqual([]);
    expect((await terminal.apply(firm, '--sheet', terminal.sheet)).out).toBe('0 people changed, 4 people as the file says.\n');
    expect((await terminal.apply(firm, '--sheet', terminal.sheet, '--plan')).out).toBe(
      'Mail to postmaster@firm.example goes to ada@firm.example, an admin, until an account has the alias.\n' +
        'Mail to abuse@firm.example goes to ada@firm.example, an admin, until an account has the alias.\n' +
        '0 people to change, 4 people as the file says. Nothing was changed.\n',
    );
    expect(await readFile(terminal.sheet, 'utf8')).toBe(sheet);
  });

  test('changes only what a changed file says: a name, an admin, a role, and leaves what a cell does not say', async () => {
    await terminal.apply(firm, '--sheet', terminal.sheet);
    const changed = firm.replace('Ben Bär', 'Ben Miller').replace(',yes,', ',,').replace('info@firm.example:READ', 'info@firm.example:WRITE');
    expect(await terminal.changesOf(() => terminal.apply(changed, '--sheet', terminal.sheet))).toEqual(['/users/UpdateUser', '/accounts/PutAccountMember']);
    expect(await terminal.user('ben@firm.example')).toMatchObject({ display_name: 'Ben Miller' });
    expect(await terminal.user('ada@firm.example')).toMatchObject({ is_admin: true });
  });

  test('writes a page for each person to the sheet, which only its owner can read, and prints no password', async () => {
    const { out, err } = await terminal.apply(firm, '--sheet', terminal.sheet);
    const html = await readFile(terminal.sheet, 'utf8');
    expect((await stat(terminal.sheet)).mode & 0o777).toBe(0o600);
    const passwords = passwordsIn(html);
    expect(passwords).toHaveLength(3);
    expect(html).toContain('https://jmap.example.test/.well-known/jmap');
    expect(html).toContain('Ben Bär');
    for (const password of passwords) expect(`${out}${err}`).not.toContain(password);
    expect(err).toContain('Print it, hand out the pages, and delete it.');
  });

  test('writes an existing sheet anew, so that who may read the earlier file gets no new password', async () => {
    await terminal.apply('email\nada@home.example\n', '--sheet', terminal.sheet);
    const earlier = await readFile(terminal.sheet, 'utf8');
    await chmod(terminal.sheet, 0o666);
    await link(terminal.sheet, `${terminal.sheet}.seen`);
    await terminal.apply('email\nada@home.example\nben@home.example\n', '--sheet', terminal.sheet);
    expect((await stat(terminal.sheet)).mode & 0o777).toBe(0o600);
    expect(passwordsIn(await readFile(terminal.sheet, 'utf8'))).toHaveLength(2);
    expect(await readFile(`${terminal.sheet}.seen`, 'utf8')).toBe(earlier);
  });

  test('refuses a sheet that is a link, before it changes anything', async () => {
    await symlink(`${terminal.sheet}.elsewhere`, terminal.sheet);
    expect(
      await terminal.changesOf(async () => {
        expect(await terminal.apply(firm, '--sheet', terminal.sheet)).toMatchObject({
          code: 1,
          err: `${terminal.sheet} is a symbolic link, and is not written: name another file\n`,
        });
      }),
    ).toEqual([]);
    await expect(stat(`${terminal.sheet}.elsewhere`)).rejects.toThrow('ENOENT');
  });

  test('gives people of another sheet, and people without a password, another one', async () => {
    await terminal.apply(firm);
    expect((await terminal.user('ben@firm.example')).sign_in_state).toBe('NOT_INVITED');
    const { out } = await terminal.apply(firm, '--sheet', terminal.sheet);
    expect(out).toContain('line 3: ben@firm.example: new temporary password on the sheet');
    expect(passwordsIn(await readFile(terminal.sheet, 'utf8'))).toHaveLength(3);
    expect((await terminal.user('ben@firm.example')).sign_in_state).toBe('INVITED');
  });

  test('goes on after it was killed at any call, without a second person, mailbox or page', async () => {
    for (let limit = 1; ; limit++) {
      const each = await openPeopleTerminal();
      await each.createGroup('team');
      const file = withGroups(firm, 'team@firm.example');
      const isInterrupted = await each.breakAt(limit, () => each.apply(file, '--sheet', each.sheet));
      if (isInterrupted) expect((await each.apply(file, '--sheet', each.sheet)).code).toBe(0);
      expect(await each.changesOf(() => each.apply(file, '--sheet', each.sheet))).toEqual([]);
      expect(await each.groupMembers('team')).toHaveLength(4);
      expect((await each.users()).filter(({ primary_email: email }) => email?.startsWith('ben@'))).toHaveLength(1);
      expect(await each.accounts()).toHaveLength(6);
      const html = await readFile(each.sheet, 'utf8');
      expect(passwordsIn(html)).toHaveLength(3);
      await each.close();
      if (!isInterrupted) break;
      expect(limit).toBeLessThan(40);
    }
  });

  test('goes on with the others when a person is refused, names the line, and ends with exit code 4', async () => {
    await terminal.apply('email,is_admin\nada@firm.example,yes\n', '--sheet', terminal.sheet);
    await terminal.ok('users', 'UpdateUser', '--user-id', 'user_admin', '--is-admin', 'false');
    const { code, out, err } = await terminal.apply('email,is_admin\nada@firm.example,no\nben@firm.example,\n', '--sheet', terminal.sheet);
    expect(code).toBe(4);
    expect(out).toContain('line 2: ada@firm.example: FAILED: remove admin rights: this is the last admin');
    expect(out).toContain('line 3: ben@firm.example: invite');
    expect(out).toContain('1 person changed, 0 people as the file says, 1 FAILED');
    expect(err).toContain('Repair the cause, and run the command again.');
  });

  test('adds 30 people to a group by two calls, leaves who is a member, and removes nobody', async () => {
    for (const name of ['team', 'staff']) await terminal.createGroup(name);
    const lines = Array.from({ length: 30 }, (_, index) => `p${index}@home.example,p${index}@firm.example,`);
    await terminal.apply(['email,mail_address,groups', ...lines.slice(0, 3), ''].join('\n').replace(/,$/m, ',staff@firm.example;TEAM@firm.example'));
    expect([await terminal.groupMembers('staff'), await terminal.groupMembers('team')]).toEqual([['p0@firm.example'], ['p0@firm.example']]);
    const file = ['email,mail_address,groups', ...lines.map((line) => `${line}team@firm.example`), ''].join('\n');
    expect((await terminal.apply(file, '--plan')).out).toContain(
      'line 31: p29@home.example: invite by mail to the sign-in address; mailbox p29@firm.example; member of team@firm.example',
    );
    const calls = await terminal.changesOf(() => terminal.apply(file));
    expect(calls.filter((path) => path === '/aliases/AddGroupMembers')).toHaveLength(2);
    expect([(await terminal.groupMembers('team')).length, await terminal.groupMembers('staff')]).toEqual([30, ['p0@firm.example']]);
    expect(await terminal.changesOf(() => terminal.apply(file))).toEqual([]);
  });

  test('adds the others to a group when a person is refused', async () => {
    await terminal.createGroup('team');
    const { fetch } = terminal.context;
    const refusing: typeof fetch = async (target, init) => {
      const request = new Request(target, init);
      const isRefused = request.url.endsWith('/AddGroupMembers') && (await request.clone().text()).includes('ben@');
      return isRefused ? Response.json({ code: 'failed_precondition', message: 'not Ben' }, { status: 400 }) : fetch(target, init);
    };
    Object.assign(terminal.context, { fetch: refusing });
    const { code, out } = await terminal.apply(withGroups(firm, 'team@firm.example'));
    expect(code).toBe(4);
    expect(out).toContain('line 3: ben@firm.example: FAILED: member of team@firm.example: not Ben');
    expect(out).toContain('3 people changed, 0 people as the file says, 1 FAILED');
    expect(await terminal.groupMembers('team')).toEqual(['ada@firm.example', 'cleo@firm.example', 'dan@firm.example']);
  });

  test('repeats a call that the API was too busy for', async () => {
    const { fetch } = terminal.context;
    let refusals = 0;
    const busy: typeof fetch = async (target, init) => {
      const { pathname } = new URL(target instanceof Request ? target.url : target);
      if (pathname === '/users/CreateUser' && refusals++ < 2) {
        return Response.json({ code: 'resource_exhausted', message: 'too many calls' }, { status: 429, headers: { 'retry-after': '0' } });
      }
      return fetch(target, init);
    };
    Object.assign(terminal.context, { fetch: busy });
    expect(await terminal.apply('email\nben@home.example\n')).toMatchObject({ code: 0, out: expect.stringContaining('1 person changed') });
    expect(refusals).toBe(3);
  });

  test('invites the address of somebody who was deleted as somebody new', async () => {
    await terminal.apply('email,display_name\nben@home.example,Ben\n');
    const before = await terminal.user('ben@home.example');
    await terminal.run('people', 'leave', 'ben@home.example', '--mail', 'keep');
    expect((await terminal.apply('email,display_name\nben@home.example,Benedict\n')).code).toBe(0);
    expect((await terminal.user('ben@home.example')).user_id).not.toBe(before.user_id);
  });
});

describe('people apply reads', () => {
  test.each<[string, string | Uint8Array]>([
    ['semicolons and a byte order mark', '\ufeffEmail;Display name;Mail address\r\nben@firm.example;"Bär; Ben";ben@firm.example\r\n'],
    ['Latin-1', Buffer.from('email,display_name,mail_address\nben@firm.example,"Bär; Ben",ben@firm.example\n', 'latin1')],
    [
      'UTF-16',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('email\tdisplay_name\tmail_address\nben@firm.example\tBär; Ben\tben@firm.example\n', 'utf16le')]),
    ],
    ['addresses in capitals, blank lines and spaces', 'email , display_name , mail_address\n\n Ben@Firm.Example , "Bär; Ben" , BEN@firm.example \n\n,,\n'],
  ])('a file with %s', async (_, content) => {
    const { code } = await terminal.apply(content, '--sheet', terminal.sheet);
    expect(code).toBe(0);
    expect(await terminal.user('ben@firm.example')).toMatchObject({ display_name: 'Bär; Ben' });
    expect((await terminal.find('ben@firm.example')).kind).toBe('ACCOUNT');
  });

  test('Latin-1 only with a warning', async () => {
    expect((await terminal.apply(Buffer.from('email,display_name\nben@firm.example,Bär\n', 'latin1'), '--plan')).err).toContain('Windows-1252');
    expect((await terminal.apply('email,display_name\nben@firm.example,Bär\n', '--plan')).err).toBe('');
  });

  test('5,000 lines, and names the last one', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `p${index}@firm.example,p${index}@firm.example`);
    const { code, err } = await terminal.apply(`email,mail_address\n${lines.join('\n')}\np7@firm.example,x@firm.example\n`, '--plan');
    expect(code).toBe(2);
    expect(err).toContain('line 5002: p7@firm.example is in line 9 already\n');
  });
});

describe('people apply refuses the whole file, names each line, and changes nothing, for', () => {
  const mail = 'email,display_name,mail_address,aliases,shared_mailboxes,is_admin,invitation_email';
  test.each<[string, string, string]>([
    ['no table', '"email\nben', 'the file is not CSV'],
    ['an empty file', '', 'the file is empty'],
    ['a header without people', 'email\n', 'no people'],
    ['an unknown column', 'email,Nachname\nben@firm.example,Bär\n', "line 1: there is no column 'nachname'"],
    ['a doubled column', 'email,email\nben@firm.example,x\n', 'line 1: the column email is there twice'],
    ['no column email', 'display_name\nBen\n', 'line 1: the column email is missing'],
    ['a wrong address', `${mail}\nben.firm.example,,,,,,\n`, 'line 2: email must be an email address'],
    ['a missing address', `${mail}\n,Ben,,,,,\n`, 'line 2: email'],
    ['a wrong alias', `${mail}\nben@firm.example,,ben@firm.example,ben@,,,\n`, "line 2: aliases 'ben@' must be an email address"],
    [
      'a wrong role',
      `${mail}\nben@firm.example,,,,sales@firm.example:OWNER,,\n`,
      "line 2: the role 'OWNER' of sales@firm.example must be one of READ, WRITE, ADMIN",
    ],
    ['neither yes nor no', `${mail}\nben@firm.example,,,,,maybe,\n`, "line 2: is_admin 'maybe' must be yes or no"],
    ...inheritedNames.map((name): [string, string, string] => [
      `the name of a property that every object has: ${name}`,
      `${mail}\nben@firm.example,,,,,${name},\n`,
      `line 2: is_admin '${name}' must be yes or no`,
    ]),
    ['too many cells', 'email,display_name\nben@firm.example,Miller, Ben\n', 'line 2: it has 3 cells, but the header has 2'],
    ['a doubled person', `${mail}\nben@firm.example,,,,,,\nBEN@firm.example,,,,,,\n`, 'line 3: ben@firm.example is in line 2 already'],
    [
      'a doubled mail address',
      `${mail}\nben@firm.example,,b@firm.example,,,,\nbea@firm.example,,bea@firm.example,b@firm.example,,,\n`,
      'line 3: b@firm.example is an address of ben@firm.example (line 2)',
    ],
    [
      'the sign-in address of another line',
      `${mail}\nben@firm.example,,bea@firm.example,,,,\nbea@firm.example,,,,,,\n`,
      'line 3: bea@firm.example is a mail address of ben@firm.example (line 2)',
    ],
    [
      'a domain that is not here',
      `${mail}\nben@firm.example,,ben@elsewhere.example,,,,\n`,
      'line 2: ben@elsewhere.example: elsewhere.example is not a domain of this deployment',
    ],
    ['a domain that does not receive', `${mail}\nben@firm.example,,ben@deaf.example,,,,\n`, 'line 2: ben@deaf.example: deaf.example does not receive mail'],
    ['an address of another mailbox', `${mail}\nben@firm.example,,taken@firm.example,,,,\n`, "line 2: taken@firm.example is an address of the mailbox 'Taken'"],
    ['a sign-in address that is another’s mailbox', `${mail}\nsales@firm.example,,,,,,\n`, "line 2: sales@firm.example is an address of the mailbox 'Taken'"],
    ['an alias without a mailbox', `${mail}\nben@firm.example,,,b@firm.example,,,\n`, 'line 2: aliases need a mailbox'],
    ['a second mailbox', `${mail}\ntaken@home.example,,other@firm.example,,,,\n`, 'line 2: the person has the mailbox taken@firm.example'],
    [
      'a shared mailbox that nobody owns',
      `${mail}\nben@firm.example,,,,info@firm.example,,\n`,
      'line 2: there is no mailbox info@firm.example; to make it, give one person the role ADMIN',
    ],
    [
      'a private address that is none',
      `${mail}\nben@firm.example,,,,,,ben.old@firm.example\n`,
      'line 2: invitation_email ben.old@firm.example is at a domain that this deployment receives',
    ],
    [
      'a group that does not exist',
      `${mail},groups\nben@firm.example,,ben@firm.example,,,,,nobody@firm.example\n`,
      'line 2: there is no group nobody@firm.example',
    ],
    ['a mailbox as a group', `${mail},groups\nben@firm.example,,ben@firm.example,,,,,taken@firm.example\n`, 'line 2: there is no group taken@firm.example'],
    ['a group without a mailbox', `${mail},groups\nben@firm.example,,,,,,,team@firm.example\n`, 'line 2: groups need a mailbox'],
    ['somebody who is deactivated', `${mail}\noff@home.example,,,,,,\n`, 'line 2: off@home.example is deactivated'],
  ])('%s', async (_, content, message) => {
    await terminal.ok('domains', 'AddDomain', '--domain', 'deaf.example');
    await terminal.apply('email,display_name,mail_address,aliases\ntaken@home.example,Taken,taken@firm.example,sales@firm.example\n');
    await terminal.ok('users', 'CreateUser', '--email', 'off@home.example');
    await terminal.ok('users', 'UpdateUser', '--user', 'off@home.example', '--is-active', 'false');
    const correct = content.includes('\n') && content.startsWith(mail) ? `${content}fine@firm.example,,fine@firm.example,,,,\n` : content;
    let result: Awaited<ReturnType<typeof terminal.apply>> | undefined;
    expect(
      await terminal.changesOf(async () => {
        result = await terminal.apply(correct, '--sheet', terminal.sheet);
      }),
    ).toEqual([]);
    expect([result!.code, result!.out]).toEqual([2, '']);
    expect(result!.err).toContain(message);
  });
});
