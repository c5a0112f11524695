import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../../../../contract/admin/accounts.ts';
import type { Alias } from '../../../../contract/admin/aliases.ts';
import type { User } from '../../../../contract/admin/users.ts';
import { openTerminal } from '../../test-terminal.ts';

/** Whether a call changes something. */
const isChange = (path: string): boolean => !/\/(List|Get|Find|oauth)/.test(path);

/** A terminal of an admin of a deployment that receives and sends mail for `firm.example`. */
export const openPeopleTerminal = async () => {
  const terminal = await openTerminal();
  Object.assign(terminal.environment, { POSTRIDER_CLIENT_ID: 'adminheadless', POSTRIDER_CLIENT_SECRET: 's3cret' });
  const outputs = join(terminal.home, 'outputs.json');
  await writeFile(
    outputs,
    JSON.stringify({ postrider: { adminApiUrl: 'https://api.example.test', authUrl: 'https://auth.example.test', jmapUrl: 'https://jmap.example.test' } }),
  );
  terminal.environment['POSTRIDER_OUTPUTS'] = outputs;
  const ok = async <T>(...args: string[]): Promise<T> => {
    const { code, out, err } = await terminal.run(...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
    return JSON.parse(out) as T;
  };
  await ok('domains', 'AddDomain', '--domain', 'firm.example', '--receive-enabled');
  const users = async () => (await ok<{ users: User[] }>('users', 'ListUsers', '--page-size', '1000')).users;
  const file = join(terminal.home, 'people.csv');
  return {
    ...terminal,
    ok,
    sheet: join(terminal.home, 'sheet.html'),
    /** Runs `people apply` on a file with this content. */
    async apply(content: string | Uint8Array, ...args: string[]) {
      await writeFile(file, content);
      return terminal.run('people', 'apply', file, ...args);
    },
    /**
     * Runs a command whose connection breaks after the given changing call: the call is made, and its answer is lost.
     * @returns whether the command made so many.
     */
    async breakAt(call: number, command: () => Promise<unknown>): Promise<boolean> {
      const { fetch } = terminal.context;
      let changes = 0;
      const broken: typeof fetch = async (target, init) => {
        const response = await fetch(target, init);
        if (isChange(new URL(target instanceof Request ? target.url : target).pathname) && ++changes === call) throw new TypeError('fetch failed');
        return response;
      };
      Object.assign(terminal.context, { fetch: broken });
      await command();
      Object.assign(terminal.context, { fetch });
      return changes >= call;
    },
    /** The paths of the calls that a command made and that change something. */
    async changesOf(command: () => Promise<unknown>): Promise<string[]> {
      const before = terminal.calls.length;
      await command();
      return terminal.calls
        .slice(before)
        .map(({ path }) => path)
        .filter(isChange);
    },
    users,
    user: async (email: string): Promise<User> => (await users()).find((user) => user.primary_email === email && !user.is_deleted)!,
    accounts: async () => (await ok<{ accounts: Account[] }>('accounts', 'ListAccounts', '--page-size', '1000')).accounts,
    aliases: async (account: string) => (await ok<{ aliases: Alias[] }>('aliases', 'ListAccountAliases', '--account', account)).aliases,
    createGroup: (name: string) => ok('aliases', 'CreateGroup', '--name', name, '--local-part', name, '--domain', 'firm.example'),
    groupMembers: async (name: string) => {
      const { group } = await ok<{ group: { group_id: string } }>('accounts', 'FindAddress', '--address', `${name}@firm.example`);
      const { members } = await ok<{ members: { email: string }[] }>('aliases', 'ListGroupMembers', '--group-id', group.group_id);
      return members.map(({ email }) => email).sort();
    },
    find: (address: string) => ok<{ kind: string; account?: Account; incoming: string }>('accounts', 'FindAddress', '--address', address),
    members: async (account: string) =>
      (await ok<{ members: { name: string; role: string }[] }>('accounts', 'ListAccountMembers', '--account', account)).members
        .map(({ name, role }) => `${name} ${role}`)
        .sort(),
  };
};
export type PeopleTerminal = Awaited<ReturnType<typeof openPeopleTerminal>>;
