import { relative } from 'node:path';
import { table } from '../../cli/terminal/table.ts';
import type { SandboxDescription } from './sandbox-description.ts';
import { commandFor, type StateDirectory } from './state-directory.ts';

/** All URLs, and commands to try next. It contains no secrets. */
export const summaryText = (description: SandboxDescription, state: StateDirectory, frontPage: number): string => {
  const { webmailUrl, consoleUrl, adminApiUrl, jmapUrl, webSocketUrl, authUrl, outboxUrl, smtp, users } = description;
  const file = relative(process.cwd(), state.description);
  const passwords = file.startsWith('..') ? state.description : file;
  const admin = users
    .filter(({ isAdmin }) => isAdmin)
    .map(({ email }) => email)
    .join(', ');
  const reader = users.find(({ isAdmin, accountId }) => !isAdmin && accountId !== undefined)?.email ?? '';
  const token = (email: string): string => commandFor(state, `npm run -s token -- ${email}`);
  const rows: [string, string][] = [
    ['Web mail', `${webmailUrl}  (${reader}; password in ${passwords})`],
    ['Console', `${consoleUrl}  (${admin}; password in ${passwords})`],
    ['Front page', `http://127.0.0.1:${frontPage}/`],
    ['JMAP session', `${jmapUrl}/.well-known/jmap`],
    ['WebSocket', webSocketUrl],
    ['Admin API', adminApiUrl],
    ['Sign-in', authUrl],
    ['SMTP server', `${smtp.host}:${smtp.port}`],
    ['Outbox', outboxUrl],
    ['Users', users.map(({ email }) => email).join(', ')],
    ['Passwords, ids', passwords],
  ];
  return [
    '',
    table(rows, '  '),
    '',
    'Try next:',
    '',
    `  ${commandFor(state, 'npm run -s send -- --from friend@elsewhere.test --to alice@example.test --subject "Hello"')}`,
    `  curl -s -H "Authorization: Bearer $(${token('alice@example.test')})" ${jmapUrl}/.well-known/jmap`,
    `  curl -s -H "Authorization: Bearer $(${token('admin@example.test')})" -H "Content-Type: application/json" -d '{}' ${adminApiUrl}/users/ListUsers`,
    '',
  ].join('\n');
};
