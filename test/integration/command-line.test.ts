import { readFile, writeFile } from 'node:fs/promises';
import { runCommandLine } from '../../cli/admin/run-command-line.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { adminProgram } from './admin-program.ts';
import { deployed, describeWith } from './deployment.ts';
import { signInByForms } from './sign-in-by-forms.ts';

const { home, outputs, run: execute, runAsMachine } = adminProgram();

describeWith('adminHeadless')('postrider-admin as a machine', () => {
  test('calls the admin API as the headless client of the environment', async () => {
    const { code, out, err } = await runAsMachine('status', 'GetStatus');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ status: { aws_region: deployed.region } });
    expect(await runAsMachine('users', 'GetUser', '--user-id', 'user_unknown')).toMatchObject({ code: 1, err: expect.stringContaining('not_found') });
  });
});

describe('postrider-admin', () => {
  test('refuses a call before a sign-in, and names login', async () => {
    expect(await execute(['status', 'Ping', '--outputs', outputs()], { XDG_CONFIG_HOME: home('signed-out') })).toMatchObject({
      code: 3,
      err: expect.stringContaining('login'),
    });
  });
});

describeWith('users')('postrider-admin after login in the browser', () => {
  test('calls the admin API as the user who signed in', async () => {
    const printed: string[] = [];
    const world = {
      environment: { XDG_CONFIG_HOME: home('person') },
      print: (text: string) => printed.push(text),
      printMessage: () => undefined,
      readInput: async () => '',
      fetch,
      now: () => Date.now(),
      openBrowser: (url: string) => {
        void signInByForms('admin', url, cliCallbackUrls[1]);
      },
    };
    expect(await runCommandLine(['login', '--outputs', outputs()], world)).toBe(0);
    expect(await runCommandLine(['status', 'GetStatus'], world)).toBe(0);
    expect(JSON.parse(printed[0]!)).toMatchObject({ status: { caller_email: expect.stringMatching(/^admin@/) } });
  });

  test('refreshes rotated tokens, also in calls at the same time', async () => {
    const file = home('person', 'postrider', 'tokens.json');
    const storedTokens = async () => JSON.parse(await readFile(file, 'utf8')) as Record<string, { refresh_token: string; expires_at: number }>;
    const used = new Set<string>();
    for (let round = 0; round < 2; round += 1) {
      const [key, tokens] = Object.entries(await storedTokens())[0]!;
      used.add(tokens.refresh_token);
      await writeFile(file, JSON.stringify({ [key]: { ...tokens, expires_at: 0 } }));
      const calls = await Promise.all(Array.from({ length: 3 }, () => execute(['status', 'Ping'], { XDG_CONFIG_HOME: home('person') })));
      expect(calls).toEqual(calls.map(() => ({ code: 0, out: '{}\n', err: '' })));
      expect([...used]).not.toContain(Object.values(await storedTokens())[0]?.refresh_token);
    }
    expect(used.size).toBe(2);
  });
});
