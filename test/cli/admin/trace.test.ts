import { minute, receivedMail, firstArrival, type ReceivedMail } from '../../lambdas/admin/mail-feedback/received-messages.ts';
import { eventsAbout } from '../../support/account-submission.ts';
import { newSubmission, sendPipeline, type SendPipeline } from '../../support/send-pipeline.ts';
import { openTerminal, type Terminal } from '../test-terminal.ts';

let received: ReceivedMail;
let sending: SendPipeline;
let terminal: Terminal;
beforeEach(async () => {
  received = await receivedMail();
  sending = sendPipeline({ table: received.mail.sendingTable });
  terminal = await openTerminal(received.api);
  Object.assign(terminal.environment, { POSTRIDER_CLIENT_ID: 'adminheadless', POSTRIDER_CLIENT_SECRET: 's3cret' });
});
afterEach(() => terminal.close());

const trace = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await terminal.run('trace', ...args);
  expect([code, err]).toEqual([0, '']);
  return out;
};
const send = async (id: string, at: string, recipients: readonly string[]) => {
  const message = Buffer.from(`Subject: Answer ${id}\r\nMessage-ID: <${id}@example.test>\r\n\r\n`);
  await sending.accept(newSubmission({ submission_id: id, mail_from: 'alice@example.test', send_at: at, created_at: at, recipients, message }));
  await sending.submit();
};
const subjectsOf = (out: string): string[] => [...out.matchAll(/^\S+ \S+ {2}(?:sent|received) {2}(.*)$/gm)].map(([, subject]) => subject!);

describe('postrider-admin trace', () => {
  test('lists the messages from and to an address, received and sent, newest first', async () => {
    await received.deliverBodies([await received.arrive({ id: 'one', from: 'Ann <ann@elsewhere.test>' })]);
    await send('submission_1', '2026-11-21T08:38:00.000Z', ['ann@elsewhere.test']);
    received.setTime(firstArrival + 120 * minute);
    await received.deliverBodies([await received.arrive({ id: 'two', to: ['alice@example.test', 'nobody@example.test'] })]);
    await received.handleQueue();
    const out = await trace('ANN@elsewhere.test');
    expect(out).toMatch(/^ann@elsewhere\.test: An address outside\.\n\n2026-11-21 10:00:00Z {2}received {2}Subject of two\n/);
    expect(subjectsOf(out)).toEqual(['Subject of two', 'Answer submission_1', 'Subject of one']);
    expect(out).toContain('    to alice@example.test: Delivered\n       account acc_alice\n');
    expect(out).toContain(
      '    to nobody@example.test: Bounced. The message was not delivered. Its sender got a bounce with the answer. ' +
        'Correct what the answer says, and have the sender send it again.\n       answer: 550 5.1.1',
    );
    expect(out).toContain('    to ann@elsewhere.test: Sent. SES has accepted the message.');
    expect(subjectsOf(await trace('alice@example.test'))).toEqual(['Subject of two', 'Answer submission_1', 'Subject of one']);
    expect(subjectsOf(await trace('@elsewhere.test'))).toEqual(['Subject of two', 'Answer submission_1', 'Subject of one']);
    expect(await trace('@nowhere.test')).toBe('No message is on record.\n');
  });

  test('says by whom a message was forwarded', async () => {
    const bob = { email: 'bob@example.test', account_id: 'acc_bob' };
    await received.mail.directoryTable.write([
      ...['alice', 'bob'].map((name) => ({ put: { pk: 'account', sk: `acc_${name}`, name, email: `${name}@example.test` } })),
      { put: { pk: 'forwarding', sk: 'acc_alice', addresses: [bob], keep_copy: false, updated_at: '2026-11-21T08:00:00.000Z', version: 1 } },
    ]);
    await received.deliverBodies([await received.arrive({ id: 'one' })]);
    const out = await trace('alice@example.test');
    expect(out).toContain('    to alice@example.test: Sent on\n       account acc_alice\n');
    expect(out).toContain('    to bob@example.test: Delivered\n       account acc_bob\n       forwarded by alice@example.test\n');
  });

  test('finds a message by its Message-ID with or without brackets, by SES’s id and by its own id, with its way', async () => {
    await received.deliverBodies([await received.arrive({ id: 'one' })]);
    await send('submission_1', '2026-11-21T08:38:00.000Z', ['ann@elsewhere.test']);
    await sending.recordEvents(eventsAbout('ann@elsewhere.test').bounce('Permanent', 70));
    for (const id of ['<submission_1@example.test>', 'submission_1@example.test', '01000', 'submission_1']) {
      const out = await trace(id);
      expect([id, subjectsOf(out)]).toEqual([id, ['Answer submission_1']]);
      expect(out).toMatch(
        /to ann@elsewhere\.test: Bounced\. .*\n {7}2026-11-21 08:38:00Z Accepted\n {7}2026-11-21 08:38:00Z Sent\n {7}\S+ \S+ Bounced: 550 5\.1\.1 unknown/,
      );
    }
    const id = (await received.list())[0]!.received_id;
    await received.changeEmail('acc_alice', { mailboxRole: 'archive' });
    expect(await trace(id)).toContain('       now in Archive\n');
    expect(subjectsOf(await trace('one@elsewhere.test'))).toEqual(['Subject of one']);
  });

  test('has only messages of the time that is asked for, and says how to see more', async () => {
    for (const index of [0, 1, 2, 3]) {
      received.setTime(firstArrival + index * minute);
      await received.deliverBodies([await received.arrive({ id: `m${index}` })]);
    }
    const subjects = async (...args: string[]) => subjectsOf(await trace('alice@example.test', ...args));
    expect(await subjects('--since', '2026-11-21T08:02:00Z')).toEqual(['Subject of m3', 'Subject of m2']);
    expect(await subjects('--until', '2026-11-21T08:02:00Z', '--since', '2026-11-21T08:01:00Z')).toEqual(['Subject of m1']);
    expect(await subjects('--since', '2026-11-22')).toEqual([]);
    const first = await trace('alice@example.test', '--limit', '2');
    expect(first).toMatch(/There may be more: postrider-admin trace alice@example\.test --until 2026-11-21T08:02:00\.000Z\n$/);
    expect(await subjects('--until', '2026-11-21T08:02:00.000Z')).toEqual(['Subject of m1', 'Subject of m0']);
  });

  test('prints JSON that a program can read', async () => {
    await received.deliverBodies([await received.arrive({ id: 'one' })]);
    expect(JSON.parse(await trace('alice@example.test', '--json'))).toMatchObject({
      address: { kind: 'OUTSIDE' },
      messages: [{ received: { message_id: 'one@elsewhere.test' } }],
    });
  });

  test('says what an address is and why mail for it is refused, also when there is no message', async () => {
    const ok = async (...args: string[]) => {
      const { code, out, err } = await terminal.run(...args);
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out) as Record<string, { readonly [name: string]: string }>;
    };
    const { domain } = await ok('domains', 'AddDomain', '--domain', 'firm.example', '--receive-enabled');
    const { user } = await ok('users', 'CreateUser', '--email', 'ada@home.example');
    const { account } = await ok(
      'accounts',
      'CreateAccount',
      '--name',
      'Ada',
      '--local-part',
      'ada',
      '--domain-id',
      domain!['id']!,
      '--user-id',
      user!['user_id']!,
    );
    const { alias } = await ok('aliases', 'CreateAlias', '--account-id', account!['account_id']!, '--local-part', 'sales', '--domain-id', domain!['id']!);
    await ok('aliases', 'UpdateAlias', '--alias-id', alias!['alias_id']!, '--no-is-active');
    const of = `Ada (${account!['account_id']})`;
    expect(await trace('ada@firm.example')).toBe(
      `ada@firm.example: The address of an account, ${of}.\nMail for the address is delivered.\nMail from the address is sent.\n\nNo message is on record.\n`,
    );
    expect(await trace('sales@firm.example')).toMatch(
      new RegExp(
        `^sales@firm\\.example: An alias of an account, ${of.replace(/[()]/g, '\\$&')}\\.\nThe alias is not active, so its mail is refused: .* Activate the alias\\.\n.*\nIt is not active since \\S+ \\S+Z\\.\n`,
      ),
    );
    expect(await trace('nobody@firm.example')).toMatch(
      /^nobody@firm\.example: No address of this deployment, which has its domain\.\nThere is no such address/,
    );
  });

  test('says of the address of a group, and of a catch-all, who gets its mail', async () => {
    const ok = async (...args: string[]) => JSON.parse((await terminal.run(...args)).out) as Record<string, { readonly [name: string]: string }>;
    await ok('domains', 'AddDomain', '--domain', 'firm.example', '--receive-enabled');
    await ok('users', 'CreateUser', '--email', 'ada@home.example');
    await ok('accounts', 'CreateAccount', '--name', 'Ada', '--local-part', 'ada', '--domain', 'firm.example', '--user', 'ada@home.example');
    const { group } = await ok('aliases', 'CreateGroup', '--local-part', 'team', '--name', 'Team', '--domain', 'firm.example');
    const sentence = `The address of a group, Team (${group!['group_id']}).`;
    expect(await trace('team@firm.example')).toContain(`team@firm.example: ${sentence}\nThe group has no member`);
    await ok('aliases', 'AddGroupMembers', '--group', 'team@firm.example', '--addresses', 'ada@firm.example');
    expect(await trace('team@firm.example')).toContain(`${sentence}\nIt goes to Ada <ada@firm.example>.\nMail for the address is delivered.`);
    await ok('aliases', 'PutCatchAll', '--domain', 'firm.example', '--address', 'ada@firm.example');
    expect(await trace('nobody@firm.example')).toContain('has a catch-all.\nIt goes to Ada <ada@firm.example>.');
  });

  test.each([
    [[], /postrider-admin trace ADDRESS/],
    [['a@b.example', 'c@d.example'], /postrider-admin trace ADDRESS/],
    [['a@b.example', '--since', 'yesterday'], /--since takes a time/],
    [['a@b.example', '--limit', '0'], /--limit takes a number/],
    [['a@b.example', '--nonsense'], /nonsense/],
  ])('refuses the command line %j', async (args, message) => {
    expect(await terminal.run('trace', ...args)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(message) });
  });
});
