import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { storeTokens } from '../../cli/sign-in/access-token.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A deployment whose token endpoint accepts each refresh token once. It records its requests. */
const openDeployment = async () => {
  const asked: string[] = [];
  let newest = 'refresh-0';
  const silent = { once: false };
  const server: Server = createServer(
    (request, response) =>
      void (async () => {
        const body = await text(request);
        if (request.url !== '/oauth2/token') return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        const token = new URLSearchParams(body).get('refresh_token') ?? '';
        asked.push(token);
        if (silent.once) return void (silent.once = false);
        // Long enough for all processes to start.
        await new Promise((done) => {
          setTimeout(done, 1500);
        });
        const good = token === newest;
        if (good) newest = `refresh-${asked.length}`;
        return response
          .writeHead(good ? 200 : 400, { 'content-type': 'application/json' })
          .end(JSON.stringify(good ? { access_token: 'good', expires_in: 3600, refresh_token: newest } : { error: 'invalid_grant' }));
      })(),
  );
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    asked,
    silent,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const home = temporaryDirectory();
let deployment: Awaited<ReturnType<typeof openDeployment>>;
beforeEach(async () => {
  deployment = await openDeployment();
  await storeTokens({ HOME: home() }, deployment.url, 'cli', { access_token: 'ended', expires_at: 0, refresh_token: 'refresh-0' });
});
afterEach(() => deployment.close());

const start = () => {
  const { url } = deployment;
  const child = spawn(process.execPath, [resolve('cli/postrider-admin.mjs'), 'status', 'Ping'], {
    env: { PATH: process.env['PATH'], HOME: home(), POSTRIDER_ADMIN_API_URL: url, POSTRIDER_AUTH_URL: url, POSTRIDER_CLI_CLIENT_ID: 'cli' },
    stdio: 'ignore',
  });
  return {
    kill: () => child.kill('SIGKILL'),
    ended: new Promise<number | null>((done) => {
      child.once('close', done);
    }),
  };
};
const folder = () => home('.config', 'postrider');
const kept = async () => (JSON.parse(await readFile(join(folder(), 'tokens.json'), 'utf8')) as Record<string, object>)[`${deployment.url} cli`];

test('concurrent processes refresh the token once and all use the new one', async () => {
  expect(await Promise.all(Array.from({ length: 4 }, () => start().ended))).toEqual([0, 0, 0, 0]);
  expect(deployment.asked).toEqual(['refresh-0']);
  expect(await kept()).toMatchObject({ access_token: 'good', refresh_token: 'refresh-1' });
});

test('a process that is killed during a refresh delays the next one only by seconds', async () => {
  deployment.silent.once = true;
  const killed = start();
  while (deployment.asked.length === 0)
    await new Promise((done) => {
      setTimeout(done, 20);
    });
  killed.kill();
  await killed.ended;
  expect(await start().ended).toBe(0);
  expect(deployment.asked).toEqual(['refresh-0', 'refresh-0']);
  expect(await kept()).toMatchObject({ access_token: 'good', refresh_token: 'refresh-2' });
  expect(await readdir(folder())).toEqual(['tokens.json']);
});
