import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asMember } from '../../../cli/import/import-membership.ts';
import { processStart } from '../../../cli/import/process-start.ts';
import { storeTokens } from '../../../cli/sign-in/access-token.ts';
import type { AccountMember } from '../../../contract/admin/accounts.ts';
import type { AdminApi } from '../../support/admin-api.ts';
import { createAccount, createDomain } from '../../support/admin-resources.ts';
import { openTerminal, type Terminal } from '../test-terminal.ts';

const machine = 'jmapheadless';

let terminal: Terminal;
let api: AdminApi;
const accounts: { [name: string]: string } = {};
beforeEach(async () => {
  terminal = await openTerminal();
  Object.assign(terminal.environment, { POSTRIDER_CLIENT_ID: machine, POSTRIDER_CLIENT_SECRET: 's3cret' });
  await storeTokens(terminal.environment, 'https://auth.example.test', 'cli', { access_token: 'admin', expires_at: terminal.clock.now + 3_600_000 });
  api = await terminal.api();
  const domain_id = await createDomain(api);
  for (const name of ['alice', 'bob']) accounts[name] = (await createAccount(api, { domain_id, local_part: name, name })).account_id;
});
afterEach(() => terminal.close());

const members = async (name: string) =>
  ((await api.ok('/accounts/ListAccountMembers', { account_id: accounts[name] }))['members'] as AccountMember[]).flatMap(({ user_id: id, role }) =>
    id === machine ? [role] : [],
  );
const run = <T>(work: (accountId: string) => Promise<T>, account: string | undefined = 'alice@example.test') => asMember(terminal.context, { account }, work);
const records = () => readdir(join(terminal.home, '.local/state/postrider/memberships')).catch(() => []);

describe('an import as admin', () => {
  test('makes the machine a member while it runs, and no longer', async () => {
    expect(await run(async (accountId) => [accountId, await members('alice')])).toEqual([accounts['alice'], ['WRITE']]);
    expect([await members('alice'), await records()]).toEqual([[], []]);
  });

  test('takes the membership away when the import fails', async () => {
    await expect(
      run(async () => {
        throw new Error('stopped');
      }),
    ).rejects.toThrow('stopped');
    expect(await members('alice')).toEqual([]);
  });

  test('leaves a membership that was there before', async () => {
    await api.ok('/accounts/PutAccountMember', { account_id: accounts['alice'], user_id: machine, role: 'READ' });
    await run(async () => undefined);
    expect(await members('alice')).toEqual(['READ']);
  });

  test('takes the membership of a killed import away, also from another account, and not that of a running one', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const folder = join(terminal.home, '.local/state/postrider/memberships');
    await run(async () => {
      const [record] = (await records()).filter((name) => name.endsWith('.json'));
      const left = JSON.parse(await readFile(join(folder, record!), 'utf8')) as object;
      await run(async () => undefined, 'bob');
      expect(await members('alice')).toEqual(['WRITE']);
      await api.ok('/accounts/PutAccountMember', { account_id: accounts['bob'], user_id: machine, role: 'WRITE' });
      await writeFile(join(folder, 'left.json'), JSON.stringify({ ...left, account_id: accounts['bob'], pid }));
    });
    expect(await members('bob')).toEqual(['WRITE']);
    await run(async () => undefined);
    expect([await members('bob'), await records()]).toEqual([[], []]);
  });

  describe('with a membership of another import on record', () => {
    const day = 24 * 3_600_000;
    let program: ChildProcess;
    beforeEach(async () => {
      program = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)']);
      await once(program, 'spawn');
    });
    afterEach(() => {
      program.kill();
    });

    /** Records a membership in Bob's account, and makes an import into Alice's. @returns Bob's machine members afterwards. */
    const afterNextImport = async (process_start: string | undefined, age = 0) => {
      const folder = join(terminal.home, '.local/state/postrider/memberships');
      await api.ok('/accounts/PutAccountMember', { account_id: accounts['bob'], user_id: machine, role: 'WRITE' });
      await mkdir(folder, { recursive: true });
      await writeFile(
        join(folder, 'left.json'),
        JSON.stringify({ admin_api_url: 'https://api.example.test', account_id: accounts['bob'], client_id: machine, pid: program.pid, process_start }),
      );
      const time = new Date(terminal.clock.now - age);
      await utimes(join(folder, 'left.json'), time, time);
      await run(async () => undefined);
      return members('bob');
    };

    test('leaves it while that import runs', async () => {
      expect(await afterNextImport(await processStart(program.pid!))).toEqual(['WRITE']);
    });

    test('takes it away when another process has the process id of the killed import', async () => {
      expect(await afterNextImport('another time')).toEqual([]);
    });

    test('takes it away when it is older than a day', async () => {
      expect(await afterNextImport(await processStart(program.pid!), day)).toEqual([]);
    });

    test('takes one that does not say when its process began away when it is older than a day', async () => {
      expect(await afterNextImport(undefined, day - 1000)).toEqual(['WRITE']);
      expect(await afterNextImport(undefined, day)).toEqual([]);
    });
  });

  test.each([
    ['no machine client', { POSTRIDER_CLIENT_SECRET: undefined }, 'alice', 'POSTRIDER_CLIENT_SECRET'],
    ['no account', {}, '', 'needs --account'],
    ['an account that does not exist', {}, 'carol@example.test', 'no account has the address carol@example.test'],
    ['no admin’s sign-in', { POSTRIDER_CLI_CLIENT_ID: 'other' }, 'alice', 'postrider-admin login'],
  ])('is refused with %s', async (_, environment, account, message) => {
    Object.assign(terminal.environment, environment);
    const work = jest.fn();
    await expect(asMember(terminal.context, account === '' ? {} : { account }, work)).rejects.toThrow(message);
    expect(work).not.toHaveBeenCalled();
  });
});
