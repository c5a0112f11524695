import { openPeopleTerminal, type PeopleTerminal } from './people-terminal.ts';

const firm = [
  'email,display_name,mail_address,aliases,shared_mailboxes',
  'ada@firm.example,Ada,ada@firm.example,,sales@firm.example:ADMIN',
  'ben@firm.example,Ben,ben@firm.example,b@firm.example,sales@firm.example',
  '',
].join('\n');

let terminal: PeopleTerminal;
beforeEach(async () => {
  terminal = await openPeopleTerminal();
  await terminal.apply(firm, '--sheet', terminal.sheet);
});
afterEach(() => terminal.close());

const leave = (...args: string[]) => terminal.run('people', 'leave', 'ben@firm.example', '--mail', ...args);
const receiverOf = async (address: string, of = terminal) => {
  const { incoming, account } = await of.find(address);
  return incoming === 'DELIVERED' ? account?.email : incoming;
};

describe('people leave', () => {
  test('with keep deletes the person, ends their memberships, and says that the mailbox goes on receiving', async () => {
    const { code, out } = await leave('keep');
    expect(code).toBe(0);
    expect(out).toContain('Ben is deleted: signed out everywhere');
    expect(out).toContain('no member of Sales <sales@firm.example> any more');
    expect(out).toContain('the mailbox Ben <ben@firm.example> is kept, and goes on receiving');
    expect((await terminal.users()).find(({ name }) => name === 'Ben')).toMatchObject({ is_deleted: true });
    expect(await terminal.members('sales@firm.example')).toEqual(['Ada ADMIN']);
    expect(await receiverOf('ben@firm.example')).toBe('ben@firm.example');
  });

  test('with forward-to-account delivers mail for all addresses to the other account, and keeps the mail that was received', async () => {
    const { code, out } = await leave('forward-to-account', 'ada@firm.example');
    expect([code, out]).toEqual([0, expect.stringContaining('mail for ben@firm.example is delivered to Ada <ada@firm.example> from now on')]);
    for (const address of ['ben@firm.example', 'b@firm.example']) expect(await receiverOf(address)).toBe('ada@firm.example');
    expect((await terminal.accounts()).map(({ email }) => email)).toContain('ben.former@firm.example');
    expect(await receiverOf('ben.former@firm.example')).toBe('REFUSED_INACTIVE');
    expect((await leave('forward-to-account', 'ada@firm.example')).code).toBe(0);
  });

  test('with remove deletes the mailbox', async () => {
    expect((await leave('remove')).out).toContain('the mailbox Ben <ben@firm.example> is deleted');
    expect(await receiverOf('ben@firm.example')).toBe('REFUSED_REMOVED');
  });

  test.each(['remove', 'forward-to-account'])('with %s keeps a mailbox that others use too, and says so', async (choice) => {
    await terminal.ok('accounts', 'PutAccountMember', '--account', 'ben@firm.example', '--user', 'ada@firm.example', '--role', 'ADMIN');
    const { out } = await leave(choice, ...(choice === 'remove' ? [] : ['ada@firm.example']));
    expect(out).toContain('the mailbox Ben <ben@firm.example> is kept, because others use it too');
    expect(await receiverOf('ben@firm.example')).toBe('ben@firm.example');
  });

  test('says which mailbox has no other ADMIN, and ends that membership when it runs again', async () => {
    await terminal.ok('accounts', 'PutAccountMember', '--account', 'sales@firm.example', '--user', 'ben@firm.example', '--role', 'ADMIN');
    await terminal.ok('accounts', 'PutAccountMember', '--account', 'sales@firm.example', '--user', 'ada@firm.example', '--role', 'WRITE');
    expect((await leave('keep')).out).toContain('still the last ADMIN of Sales <sales@firm.example>: give somebody the role ADMIN');
    await terminal.ok('accounts', 'PutAccountMember', '--account', 'sales@firm.example', '--user', 'ada@firm.example', '--role', 'ADMIN');
    expect((await leave('keep')).out).toContain('no member of Sales');
  });

  test('goes on after it was killed at any call', async () => {
    for (let limit = 1; ; limit++) {
      const each = await openPeopleTerminal();
      await each.apply(firm, '--sheet', each.sheet);
      const command = ['people', 'leave', 'ben@firm.example', '--mail', 'forward-to-account', 'ada@firm.example'];
      const isInterrupted = await each.breakAt(limit, () => each.run(...command));
      expect((await each.run(...command)).code).toBe(0);
      expect((await each.accounts()).map(({ email }) => email).sort()).toEqual(['ada@firm.example', 'ben.former@firm.example', 'sales@firm.example']);
      for (const address of ['ben@firm.example', 'b@firm.example']) expect(await receiverOf(address, each)).toBe('ada@firm.example');
      expect(await each.members('sales@firm.example')).toEqual(['Ada ADMIN']);
      await each.close();
      if (!isInterrupted) break;
      expect(limit).toBeLessThan(20);
    }
  });

  test.each([
    [['people', 'leave', 'ben@firm.example'], 'people leave takes --mail keep | forward-to-account | remove'],
    [['people', 'leave', 'ben@firm.example', '--mail', 'forward-to-account'], 'takes the ADDRESS'],
    [['people', 'leave', 'ben@firm.example', '--mail', 'forward-to-account', 'nobody@firm.example'], 'no account has the address nobody@firm.example'],
    [['people', 'leave', 'ben@firm.example', '--mail', 'burn'], '--mail keep | forward-to-account | remove'],
    [['people', 'leave', 'nobody@firm.example', '--mail', 'keep'], "there is no user 'nobody@firm.example'"],
    [['people', 'leave', '--mail', 'keep'], 'takes a person'],
    [['people', 'dance', 'ben@firm.example'], "there is no command 'people dance'"],
  ])('changes nothing for %j', async (args, message) => {
    let result: Awaited<ReturnType<typeof terminal.run>> | undefined;
    expect(
      await terminal.changesOf(async () => {
        result = await terminal.run(...args);
      }),
    ).toEqual([]);
    expect([result!.code, result!.err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('people release', () => {
  const release = (...args: string[]) => terminal.run('people', 'release', ...args);

  test('frees the address of somebody who left for somebody new, who gets none of the old mailbox', async () => {
    await leave('keep');
    const [old] = (await terminal.accounts()).filter(({ email }) => email === 'ben@firm.example');
    const refused = await terminal.apply('email,display_name,mail_address\nben@firm.example,Benedict,ben@firm.example\n', '--sheet', terminal.sheet);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('postrider-admin people release ben@firm.example')]);
    expect((await release('ben@firm.example')).code).toBe(0);
    expect((await terminal.apply('email,display_name,mail_address\nben@firm.example,Benedict,ben@firm.example\n', '--sheet', terminal.sheet)).code).toBe(0);
    const { account } = await terminal.find('ben@firm.example');
    expect(account?.account_id).not.toBe(old!.account_id);
    expect((await terminal.user('ben@firm.example')).primary_account_id).toBe(account?.account_id);
    expect(await terminal.members(old!.account_id)).toEqual(['Ben ADMIN']);
  });

  test('asks for --yes when nobody of the mailbox has left', async () => {
    const { code, err } = await release('sales@firm.example');
    expect([code, err]).toEqual([2, expect.stringContaining('nobody of the mailbox Sales <sales@firm.example> has left: Ada, Ben would lose the address')]);
    expect(await receiverOf('sales@firm.example')).toBe('sales@firm.example');
    expect((await release('sales@firm.example', '--yes')).code).toBe(0);
    expect(await receiverOf('sales@firm.example')).toBe('REFUSED_UNKNOWN');
  });

  test('takes another former address when one is taken', async () => {
    await leave('keep');
    await release('ben@firm.example');
    await terminal.apply('email,display_name,mail_address\nben@firm.example,Benedict,ben@firm.example\n', '--sheet', terminal.sheet);
    await terminal.run('people', 'leave', 'ben@firm.example', '--mail', 'keep');
    expect((await release('ben@firm.example')).code).toBe(0);
    expect((await terminal.accounts()).map(({ email }) => email)).toEqual(expect.arrayContaining(['ben.former@firm.example', 'ben.former2@firm.example']));
  });

  test('refuses what is no address, and an address that no account has', async () => {
    expect((await release('ben')).err).toContain("people release takes an address, not 'ben'");
    expect((await release('nobody@firm.example')).err).toContain('no account has the address');
  });
});
