import { createServer, type IncomingMessage } from 'node:http';
import { listenOnLoopback, type RunningServer } from '../../../process/loopback-server.ts';
import { readOutboxMessage } from './outbox-message.ts';
import { contentSecurityPolicy, listPage, messagePage, noticePage, sourcePage } from './outbox-page.ts';
import type { Outbox } from './outbox.ts';

type Answer = { readonly status: number; readonly type: string; readonly body: string | Buffer; readonly headers?: Record<string, string> };

export type OutboxDependencies = {
  readonly outbox: Outbox;
  /**
   * Verifies the address of a verification mail's link.
   * @returns the address; undefined for an unknown or expired link.
   */
  readonly confirmAddress: (token: string) => Promise<string | undefined>;
};

const html = (body: string, status = 200): Answer => ({ status, type: 'text/html; charset=utf-8', body });
const json = (value: unknown, status = 200): Answer => ({ status, type: 'application/json', body: JSON.stringify(value) });
const notFoundPage = (): Answer => html(noticePage('Not found', 'There is no such page. The message may have been deleted.'), 404);

/** The link of a verification mail. */
export const confirmationUrl = (port: number, token: string): string => `http://127.0.0.1:${port}/verify-email?token=${token}`;

const confirmation = async ({ confirmAddress }: OutboxDependencies, token: string): Promise<Answer> => {
  const address = await confirmAddress(token);
  return address === undefined
    ? html(noticePage('This link is not valid', 'The address was deleted, or the link is older than a day.'), 404)
    : html(noticePage('Address verified', `${address} may send mail now.`));
};

const messageAnswer = async ({ outbox }: OutboxDependencies, id: string, form: string): Promise<Answer> => {
  const entry = outbox.find(id);
  if (!entry) return form === '.json' ? json({ message: 'No such message' }, 404) : notFoundPage();
  const raw = await outbox.raw(id);
  switch (form) {
    case '.eml':
      return { status: 200, type: 'message/rfc822', body: raw, headers: { 'content-disposition': 'attachment; filename="message.eml"' } };
    case '.json':
      return json(await readOutboxMessage(entry, raw));
    case '/source':
      return html(sourcePage(entry, raw));
    default:
      return html(messagePage(await readOutboxMessage(entry, raw)));
  }
};

const clear = async ({ outbox }: OutboxDependencies, answer: Answer): Promise<Answer> => {
  await outbox.clear();
  return answer;
};

/** Whether a page of another site sent the request, by the Origin header that browsers add. */
const isCrossOrigin = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined && headers.origin !== 'null' && new URL(headers.origin).host !== headers.host;

/** Whether the Host header names this machine. Other names are refused, because DNS could rebind them to 127.0.0.1. */
const isLoopbackHost = ({ headers }: IncomingMessage): boolean => /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? '');

const answerTo = (dependencies: OutboxDependencies, request: IncomingMessage): Promise<Answer> | Answer => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (!isLoopbackHost(request) || isCrossOrigin(request)) {
    return html(noticePage('Refused', 'The outbox can be read on this machine only.'), 403);
  }
  const [, id, form] = /^\/messages\/([A-Za-z0-9-]+)(|\/source|\.json|\.eml)$/.exec(pathname) ?? [];
  switch (`${request.method} ${pathname}`) {
    case 'GET /':
      return html(listPage(dependencies.outbox.list()));
    case 'GET /messages.json':
      return json({ messages: dependencies.outbox.list() });
    case 'GET /verify-email':
      return confirmation(dependencies, searchParams.get('token') ?? '');
    case 'DELETE /messages':
      return clear(dependencies, { status: 204, type: 'text/plain', body: '' });
    case 'POST /clear':
      return clear(dependencies, { status: 303, type: 'text/plain', body: '', headers: { location: '/' } });
    default:
      return request.method === 'GET' && id !== undefined ? messageAnswer(dependencies, id, form ?? '') : notFoundPage();
  }
};

/**
 * Serves the outbox to people (`/`) and programs: `GET /messages.json` lists it, newest first. `/messages/<id>.json`
 * has text, HTML and headers, `/messages/<id>.eml` is the raw message, and `DELETE /messages` empties the outbox.
 * @throws SandboxError for a port that is taken.
 */
export const startOutboxServer = (port: number, dependencies: OutboxDependencies): Promise<RunningServer> =>
  listenOnLoopback(
    port,
    createServer((request, response) => {
      const serve = async (): Promise<void> => {
        const { status, type, body, headers } = await answerTo(dependencies, request);
        response.writeHead(status, {
          'content-type': type,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'content-security-policy': contentSecurityPolicy,
          ...headers,
        });
        response.end(body);
      };
      request.resume();
      void serve().catch(() => {
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    }),
  );
