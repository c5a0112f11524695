import { createServer } from 'node:http';
import type { SandboxDescription } from '../state/sandbox-description.ts';
import type { SandboxStatus } from '../state/state-directory.ts';

export type FrontPage = { update(status: Omit<SandboxStatus, 'pid' | 'since'>, description?: SandboxDescription): void; stop(): Promise<void> };

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const row = (title: string, url: string): string => `<tr><th>${escaped(title)}</th><td><a href="${escaped(url)}">${escaped(url)}</a></td></tr>`;

const links = (description: SandboxDescription): string =>
  [
    row('Web mail', description.webmailUrl),
    row('Console', description.consoleUrl),
    row('JMAP session', `${description.jmapUrl}/.well-known/jmap`),
    row('OpenID configuration', `${description.jmapUrl}/.well-known/openid-configuration`),
    row('Protected resource', `${description.jmapUrl}/.well-known/oauth-protected-resource`),
    row('Admin API', description.adminApiUrl),
    row('Sign-in', description.authUrl),
    row('Outbox', description.outboxUrl),
  ].join('');

const page = (status: SandboxStatus, description: SandboxDescription | undefined): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Postrider sandbox</title>
<style>body{font:16px/1.5 system-ui;margin:3rem auto;max-width:46rem;padding:0 1rem}
th{text-align:left;padding-right:2rem;font-weight:500}code{background:#eee;padding:.1em .3em}</style>
<h1>Postrider sandbox</h1>
<p>${escaped(status.state)}${status.doing ? `: ${escaped(status.doing)}` : ''}, since ${escaped(status.since)}.</p>
${
  description
    ? `<table>${links(description)}</table>
<p>Users: ${description.users.map((user) => escaped(user.email)).join(', ')}. Their passwords are in <code>sandbox.json</code>;
a token: <code>npm run -s token -- ${escaped(description.users.at(-1)?.email ?? '')}</code></p>
<p>SMTP server: <code>${escaped(description.smtp.host)}:${description.smtp.port}</code></p>`
    : ''
}
</html>
`;

/**
 * Serves the sandbox's state on the base port: `/` for people, `/status.json` for programs. It shows no passwords and
 * no tokens.
 */
export const startFrontPage = async (port: number): Promise<FrontPage> => {
  let status: SandboxStatus = { pid: process.pid, state: 'starting', since: new Date().toISOString() };
  let currentDescription: SandboxDescription | undefined;
  const server = createServer((request, response) => {
    if (request.url === '/status.json') response.setHeader('content-type', 'application/json').end(JSON.stringify(status));
    else if (request.url === '/') response.setHeader('content-type', 'text/html; charset=utf-8').end(page(status, currentDescription));
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found. The front page is at /\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  server.unref();
  return {
    update(next, description) {
      const since = next.state === status.state ? status.since : new Date().toISOString();
      status = { pid: process.pid, since, ...next };
      currentDescription = description ?? currentDescription;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
