import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { consoleCallbackPath } from '../../contract/oauth/oauth.ts';
import { adminApiClient } from '../../sandbox/clients/admin-api-client.ts';
import { requestTokens, signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { sentSubjects, submitHeld, subjectsWith, untilFound, type MailClient } from './mail-client.ts';

/** A check after the deployment: its subject, and its result. */
export type Check = { readonly what: string; readonly isMet: boolean; readonly found: string };

/** Something that a client has open while a deployment runs. `check` says whether it still works afterwards. */
export type Visit = { check(): Promise<Check> };

const check = async (what: string, act: () => Promise<string>): Promise<Check> => {
  try {
    return { what, isMet: true, found: await act() };
  } catch (error) {
    return { what, isMet: false, found: (error as Error).message };
  }
};

/** Mail that was stored in the account before the deployment. */
export const storedMail = async (client: MailClient): Promise<Visit> => {
  const emails = async (): Promise<string> => {
    const [{ ids }, { list }] = (await client.call(
      ['Email/query', { limit: 50, filter: { subject: 'Welcome' } }],
      [
        'Email/get',
        {
          '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' },
          properties: ['id', 'blobId', 'threadId', 'mailboxIds', 'keywords', 'subject', 'size'],
        },
      ],
    )) as [{ ids: string[] }, { list: unknown[] }];
    if (ids.length === 0) throw new Error('there are no Emails');
    return JSON.stringify(list);
  };
  const before = await emails();
  return {
    check: () =>
      check('mail that was there', async () => {
        const after = await emails();
        if (after !== before) throw new Error(`${after}, not ${before}`);
        return 'the same ids, keywords and mailboxes';
      }),
  };
};

/**
 * A submission that is held for a day and canceled after the deployment, and one that is due soon after the deployment.
 */
export const submissionsOnHold = async (client: MailClient, sandbox: SandboxDescription, email: string): Promise<Visit> => {
  const dueAt = Date.now() + 120_000;
  const [longHeld] = [await submitHeld(client, email, 'Held for a day', 86_400), await submitHeld(client, email, 'Held for two minutes', 120)];
  return {
    check: () =>
      check('submissions on hold', async () => {
        const [{ list }] = (await client.call(['EmailSubmission/get', { ids: [longHeld], properties: ['undoStatus'] }])) as [
          { list: { undoStatus: string }[] },
        ];
        if (list[0]?.undoStatus !== 'pending') throw new Error(`the long one is ${JSON.stringify(list)}`);
        const [canceled] = (await client.call(['EmailSubmission/set', { update: { [longHeld]: { undoStatus: 'canceled' } } }])) as [
          { updated?: Record<string, unknown> },
        ];
        if (!canceled.updated || !(longHeld in canceled.updated)) throw new Error(`the long one cannot be canceled: ${JSON.stringify(canceled)}`);
        await delay(Math.max(0, dueAt - Date.now()));
        const sent = await untilFound(async () => {
          const ours = (await sentSubjects(sandbox)).filter((subject) => subject.startsWith('Held for'));
          return ours.length > 0 ? ours : undefined;
        }, 'message in the outbox');
        if (sent.length !== 1 || sent[0] !== 'Held for two minutes') throw new Error(`sent: ${JSON.stringify(sent)}`);
        return 'one canceled, one sent once';
      }),
  };
};

/** An open WebSocket with push enabled. */
export const openSocket = async (client: MailClient, sandbox: SandboxDescription, deliver: (subject: string) => Promise<void>): Promise<Visit> => {
  const socket = new WebSocket(sandbox.webSocketUrl, 'jmap', { headers: { authorization: `Bearer ${client.token}` } });
  const changes: string[] = [];
  socket.on('message', (data: Buffer) => {
    changes.push(data.toString());
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ '@type': 'WebSocketPushEnable', dataTypes: null }));
  await untilFound(() => changes.find((text) => text.includes('StateChange')), 'answer to WebSocketPushEnable');
  return {
    check: () =>
      check('an open WebSocket', async () => {
        try {
          if (socket.readyState !== WebSocket.OPEN) throw new Error(`the socket is closed (${socket.readyState})`);
          const known = changes.length;
          await deliver('After the deployment');
          await untilFound(async () => ((await subjectsWith(client, 'After the deployment')).length > 0 ? true : undefined), 'message in the account');
          await untilFound(() => changes.slice(known).find((text) => text.includes(client.accountId)), 'push of new mail');
          return 'open, and told of new mail';
        } finally {
          socket.terminate();
        }
      }),
  };
};

/** A session of the console. Its refresh token must still get an access token that the admin API accepts. */
export const consoleSession = async (sandbox: SandboxDescription): Promise<Visit> => {
  const { email, password } = sandbox.users.find(({ isAdmin }) => isAdmin)!;
  const { clientId } = sandbox.clients.console;
  const before = await signIn({ authUrl: sandbox.authUrl, clientId, redirectUri: `${sandbox.consoleUrl}${consoleCallbackPath}`, email, password });
  return {
    check: () =>
      check('a session of the console', async () => {
        for (const token of [
          before.access_token,
          (
            await requestTokens(
              sandbox.authUrl,
              new URLSearchParams({ grant_type: 'refresh_token', client_id: clientId, refresh_token: before.refresh_token! }),
            )
          ).access_token,
        ])
          await adminApiClient(sandbox.adminApiUrl, token, AbortSignal.timeout(60_000))('users/ListUsers', { page_size: 10 });
        return 'its token and its refresh token are accepted';
      }),
  };
};
