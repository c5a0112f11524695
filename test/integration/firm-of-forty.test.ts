import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Account, AccountMember } from '../../contract/admin/accounts.ts';
import type { User } from '../../contract/admin/users.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { adminProgram } from './admin-program.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox, type JmapClient } from './jmap-client.ts';
import { messagesTo, outboxText } from './outbox.ts';
import { placesWith } from './places-with.ts';
import { primaryDomain } from './primary-domain.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';
import { nextSecond } from './user-with-account.ts';

const label = randomUUID().slice(0, 6);
const chosen = 'Correct-horse-battery-9';
const columns = 'email,display_name,mail_address,aliases,is_admin,shared_mailboxes,invitation_email';

const { home, runAsMachine } = adminProgram();
/** The command lines that the firm needed, in order. */
const commands: string[] = [];

/** Runs a command that must succeed. @returns its output. */
const command = async (...args: readonly string[]): Promise<string> => {
  commands.push(args.join(' '));
  const { code, out, err } = await runAsMachine(...args);
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  return out;
};

const apply = async (rows: readonly string[], ...args: readonly string[]): Promise<string> => {
  await writeFile(home('people.csv'), `\ufeff${[columns, ...rows].join('\r\n')}\r\n`);
  return command('people', 'apply', home('people.csv'), ...args);
};

/** The temporary passwords of the printed sheet, by sign-in address. Of two pages for one address, the later one counts. */
const passwordsOfSheet = async (): Promise<ReadonlyMap<string, string>> =>
  new Map(
    [...(await readFile(home('sheet.html'), 'utf8')).matchAll(/Sign-in address<\/dt><dd>([^<]+)[^]*?Temporary password<\/dt><dd>([^<]+)/g)].map(
      ([, email, password]) => [email!, password!],
    ),
  );

const signInAs = async (email: string, typed: { readonly password: string; readonly newPassword?: string }): Promise<JmapClient> =>
  jmapClient(
    (await signIn({ authUrl: deployed.authUrl, clientId: deployed.clients.cli.clientId, redirectUri: cliCallbackUrls[0], email, ...typed })).access_token,
  );

const subjectsIn = async (client: JmapClient): Promise<string[]> => (await openMailbox(client, 'inbox')).emails.map(({ subject }) => subject);

describeWith(
  'users',
  'credentials',
  'adminHeadless',
  'smtp',
)('a firm of forty', () => {
  let domain: string;
  let rows: string[];
  const at = (name: string): string => `${name}-${label}@${domain}`;
  const outside = `private-${label}@elsewhere.example`;
  beforeAll(async () => {
    ({ domain } = await primaryDomain(await adminMachineToken()));
    rows = [
      `${at('ada')},Ada Lovelace,${at('ada')},${at('lovelace')},yes,${at('sales')}:ADMIN,`,
      `${at('ben')},Ben Bär,${at('ben')},${at('b')},,${at('sales')},`,
      `${at('cleo')},Cleo,${at('cleo')},,,,cleo-${label}@elsewhere.example`,
      `${outside},Dan,${at('dan')},,,,`,
      ...Array.from({ length: 36 }, (_, index) => `${at(`p${index}`)},Person ${index},${at(`p${index}`)},,,${at('sales')}:READ,`),
    ];
  });

  // Lists of other tests show their first page.
  afterAll(async () => {
    const admin = await adminMachineToken();
    const { users } = await ok<{ users: User[] }>(admin, 'users/ListUsers', { page_size: 1000 });
    const { accounts } = await ok<{ accounts: Account[] }>(admin, 'accounts/ListAccounts', { page_size: 1000 });
    for (const { account_id } of accounts.filter(({ email }) => email.includes(`-${label}`))) await ok(admin, 'accounts/DeleteAccount', { account_id });
    for (const { user_id } of users.filter(({ primary_email: email }) => email?.includes(`-${label}`))) await ok(admin, 'users/DeleteUser', { user_id });
  });

  test('is made by one file, and the same file again changes nothing', async () => {
    expect(await apply(rows, '--sheet', home('sheet.html'), '--plan')).toContain('40 people to change, 0 people as the file says. Nothing was changed.');
    expect(await apply(rows, '--sheet', home('sheet.html'))).toContain('40 people changed, 0 people as the file says.');
    expect((await passwordsOfSheet()).size).toBe(39);
    expect(await apply(rows, '--sheet', home('sheet.html'))).toBe('0 people changed, 40 people as the file says.\n');
    const { members } = JSON.parse(await command('accounts', 'ListAccountMembers', '--account', at('sales'))) as { members: AccountMember[] };
    expect(members).toHaveLength(38);
  });

  test('ten of them sign in with the printed sheet, and write under their own name', async () => {
    const passwords = await passwordsOfSheet();
    for (const name of ['ada', 'ben', ...Array.from({ length: 8 }, (_, index) => `p${index}`)]) {
      const client = await signInAs(at(name), { password: passwords.get(at(name))!, newPassword: chosen });
      const [identities] = await client.call(['Identity/get', { ids: null }]);
      const { name: accountName } = client.session.accounts[client.accountId]!;
      expect(identities!['list']).toEqual(expect.arrayContaining([expect.objectContaining({ email: at(name), name: accountName })]));
      expect(Object.values(client.session.accounts)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: accountName, isPersonal: true }),
          expect.objectContaining({ name: `Sales-${label}`, isPersonal: false }),
        ]),
      );
    }
  });

  test('one signs in with the mail to a private address', async () => {
    const [message] = await eventually(async () => {
      const found = await messagesTo(`cleo-${label}@elsewhere.example`);
      expect(found).toHaveLength(1);
      return found;
    });
    const [, password] = /Temporary password:\s*(\S+)/.exec(await outboxText(message!.id))!;
    expect((await signInAs(at('cleo'), { password: password!, newPassword: chosen })).session.username).toBe(at('cleo'));
  });

  test('one changes from a private address to the one of the company', async () => {
    await signInAs(outside, { password: (await passwordsOfSheet()).get(outside)!, newPassword: chosen });
    await command('users', 'ChangeSignInAddress', '--user', outside, '--email', at('dan'));
    await nextSecond();
    expect((await signInAs(at('dan'), { password: chosen })).session.username).toBe(at('dan'));
  });

  test('one leaves with the mail kept for a colleague, and somebody new gets the address, and nothing of the old mail', async () => {
    const [old, fresh] = [uniqueSubject('for the old Ben'), uniqueSubject('for the new Ben')];
    await eventually(() => sendBySmtp([at('ben')], { subject: old, text: 'x' }));
    const ben = await signInAs(at('ben'), { password: chosen });
    await eventually(async () => expect(await subjectsIn(ben)).toContain(old));

    expect(await command('people', 'leave', at('ben'), '--mail', 'keep')).toContain('Ben Bär is deleted');
    await command('accounts', 'PutAccountMember', '--account', at('ben'), '--user', at('ada'), '--role', 'ADMIN');
    expect(await command('people', 'release', at('ben'))).toContain(`${at('ben')} is free`);
    await apply([`${at('ben')},Benedict,${at('ben')},,,,`], '--sheet', home('sheet.html'));

    await expect(signInAs(at('ben'), { password: chosen })).rejects.toThrow('Incorrect username or password');
    const benedict = await signInAs(at('ben'), { password: (await passwordsOfSheet()).get(at('ben'))!, newPassword: `${chosen}-2` });
    expect(Object.values(benedict.session.accounts).map(({ name }) => name)).toEqual(['Benedict']);
    expect(await subjectsIn(benedict)).toEqual([]);
    await eventually(() => sendBySmtp([at('ben')], { subject: fresh, text: 'x' }));
    await eventually(async () => expect(await subjectsIn(benedict)).toEqual([fresh]));

    const ada = await signInAs(at('ada'), { password: chosen });
    const kept = Object.entries(ada.session.accounts).find(([, { name }]) => name === 'Ben Bär')![0];
    const [, emails] = await ada.call(
      ['Email/query', { accountId: kept }],
      ['Email/get', { accountId: kept, '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties: ['subject'] }],
    );
    expect(emails!['list']).toMatchObject([{ subject: old }]);
  });

  test('one leaves with the mail that arrives given to a colleague', async () => {
    const subject = uniqueSubject('for somebody who left');
    expect(await command('people', 'leave', at('p0'), '--mail', 'forward-to-account', at('p1'))).toContain(`mail for ${at('p0')} is delivered to Person 1`);
    await eventually(() => sendBySmtp([at('p0')], { subject, text: 'x' }));
    const colleague = await signInAs(at('p1'), { password: chosen });
    await eventually(async () => expect(await subjectsIn(colleague)).toContain(subject));
  });

  test('needed ten commands, and no temporary password is in a table, a log or the bucket', async () => {
    expect(commands).toHaveLength(10);
    const passwords = [...(await passwordsOfSheet()).values()];
    expect(passwords.length).toBeGreaterThan(35);
    expect(await placesWith([at('p3')])).toContain(deployed.outputs['directoryTableName']);
    expect(await placesWith(passwords)).toEqual([]);
  });
});
