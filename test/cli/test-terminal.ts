import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../cli/admin/run-command-line.ts';
import type { CliContext } from '../../cli/terminal/cli-context.ts';
import { adminApi, type AdminApi } from '../support/admin-api.ts';

/**
 * A fake sign-in with one headless client. With rotation it accepts only the newest refresh token. It records its
 * requests.
 */
const signIn = () => {
  const asked: { path: string; form: URLSearchParams; authorization: string | null }[] = [];
  const grants = { refuse: false, rotate: true, accessToken: 'admin' };
  let newest: string | null = null;
  const answer = async (path: string, form: URLSearchParams, authorization: string | null): Promise<Response> => {
    const place = asked.push({ path, form, authorization });
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
    if (grants.refuse || form.get('refresh_token') !== (form.has('refresh_token') ? newest : null)) {
      return Response.json({ error: 'invalid_grant', error_description: 'Refresh token\u001b[2J has expired' }, { status: 400 });
    }
    if (form.get('grant_type') === 'client_credentials') return Response.json({ access_token: 'machine', expires_in: 3600 });
    if (grants.rotate || form.has('code')) newest = `refresh-${place}`;
    return Response.json({ access_token: grants.accessToken, expires_in: 3600, ...((grants.rotate || form.has('code')) && { refresh_token: newest }) });
  };
  return { asked, grants, answer };
};

/** A terminal for an admin API in memory. `close` removes its files. */
export const openTerminal = async (given?: AdminApi) => {
  const home = await mkdtemp(join(tmpdir(), 'postrider-cli-'));
  const auth = signIn();
  const said = { out: '', err: '' };
  const input = { text: '' };
  const opened: string[] = [];
  const calls: { path: string; body: unknown }[] = [];
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') };
  const environment: Record<string, string | undefined> = {
    HOME: home,
    POSTRIDER_ADMIN_API_URL: 'https://api.example.test',
    POSTRIDER_AUTH_URL: 'https://auth.example.test',
    POSTRIDER_CLI_CLIENT_ID: 'cli',
  };
  let opening: ReturnType<typeof adminApi> | undefined;
  const api = () => (opening ??= given ? Promise.resolve(given) : adminApi());
  const send: typeof fetch = async (target, init = {}) => {
    const url = new URL(target instanceof Request ? target.url : target);
    const headers = new Headers(init.headers);
    const body = init.body instanceof URLSearchParams ? init.body.toString() : typeof init.body === 'string' ? init.body : '';
    if (url.hostname === 'auth.example.test') return auth.answer(url.pathname, new URLSearchParams(body), headers.get('authorization'));
    calls.push({ path: url.pathname, body: JSON.parse(body) });
    const answer = await (await api()).send(url.pathname, body, { token: headers.get('authorization')?.replace('Bearer ', '') });
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers: answer.headers as Record<string, string> });
  };
  const context: CliContext = {
    environment,
    print: (text) => {
      said.out += `${text}\n`;
    },
    printMessage: (text) => {
      said.err += `${text}\n`;
    },
    readInput: async () => input.text,
    fetch: (target, init) => send(target, init),
    now: () => clock.now,
    openBrowser: (url) => {
      opened.push(url);
    },
  };
  return {
    home,
    auth,
    input,
    opened,
    calls,
    clock,
    environment,
    context,
    /** The admin API that the terminal calls. */
    api,
    /** Runs a command line. @returns its exit code and its output. */
    async run(...args: string[]) {
      [said.out, said.err] = ['', ''];
      const code = await runCommandLine(args, context);
      return { code, out: said.out, err: said.err };
    },
    /** The messages printed so far by a command that is still running. */
    messagesSoFar: () => said.err,
    close: () => rm(home, { recursive: true, force: true }),
  };
};
export type Terminal = Awaited<ReturnType<typeof openTerminal>>;
