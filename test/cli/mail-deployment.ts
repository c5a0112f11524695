import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { accountBlobs } from '../../core/blobs/account-blobs.ts';
import { jmapGate } from '../../core/runtime/http/jmap-gate.ts';
import type { HttpRequest, HttpResponse } from '../../core/runtime/http/http.ts';
import { serveBlobs } from '../../lambdas/blobs/serve-blobs.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../lambdas/jmap/jmap-deployment.ts';

/** The fault of a request. */
type FaultKind = 'drop' | 'lose' | { readonly status: number; readonly body?: Json } | undefined;
export type Fault = (path: string, body: string) => FaultKind | Promise<FaultKind>;

const blobsOf = ({ jmap, objects, mail, verify, now }: JmapDeployment, url: string) => serveBlobs({
  gate: jmapGate(verify, url), principals: jmap.principals, objects, blobs: accountBlobs(mail, objects), clock: now, jmapUrl: url,
  uploadedOctets: jmap.dependencies.uploadedOctets, log: jmap.log,
});

const blobRequest = (request: IncomingMessage, url: URL, body: Buffer): HttpRequest => ({
  routeKey: url.pathname === '/download' ? 'GET /download' : 'POST /upload/{accountId}',
  rawPath: url.pathname, pathParameters: { accountId: url.pathname.split('/')[2] },
  queryStringParameters: Object.fromEntries(url.searchParams),
  headers: request.headers, body: body.toString('base64'), isBase64Encoded: true, requestContext: { http: { method: request.method } },
} as unknown as HttpRequest);

/**
 * The JMAP and blobs Lambdas over fakes, behind an HTTP server. The token is a principal's name, such as `alice`.
 * `fault` runs before a request and returns its fault: `drop` closes the connection before the request is handled,
 * `lose` closes it afterwards, and a number is the status of the response.
 */
export const mailDeployment = async (parts: Parameters<typeof jmapDeployment>[0] = {}) => {
  const deployment = await jmapDeployment(parts);
  const faults: { next?: Fault | undefined } = {};
  const requests: { path: string; body: string }[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', base());
    const body = await buffer(request);
    const isBlob = url.pathname === '/download' || url.pathname.startsWith('/upload/');
    const text = isBlob ? '' : body.toString();
    requests.push({ path: url.pathname, body: text });
    const fault = await faults.next?.(url.pathname, text);
    if (fault === 'drop') return void response.destroy();
    if (typeof fault === 'object') {
      return void response.writeHead(fault.status, { 'retry-after': '0' }).end(JSON.stringify(fault.body ?? { detail: 'not now' }));
    }
    const answer: HttpResponse = isBlob
      ? await blobsOf(deployment, base())(blobRequest(request, url, body))
      : await deployment.http(request.method ?? '', url.pathname, {
        token: request.headers.authorization?.replace('Bearer ', '') ?? null, body: text,
      });
    if (fault === 'lose') return void response.destroy();
    const target = answer.headers?.['location'];
    if (typeof target === 'string' && target.startsWith('memory:')) {
      return void response.writeHead(200).end((await deployment.objects.fetch(target)).bytes);
    }
    return void response.writeHead(answer.statusCode ?? 500, answer.headers as Record<string, string>)
      .end(answer.isBase64Encoded ? Buffer.from(answer.body ?? '', 'base64') : answer.body);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      deployment.logged.push(error);
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done); });
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(deployment.jmap.settings, { jmapUrl: base(), uploadUrl: `${base()}/upload` });

  /** All Emails of an account with their raw messages. */
  const emails = async (accountId = 'acc_alice') => {
    const { list } = await deployment.call('Email/get', {
      accountId, ids: null, properties: ['id', 'blobId', 'mailboxIds', 'keywords', 'receivedAt', 'subject'],
    }, { token: accountId.replace('acc_', '') });
    return (list as Json[]).map((email) => ({ ...email, keywords: Object.keys(email['keywords'] as object).sort() })) as Json[];
  };
  /** The paths of an account's mailboxes, by id. */
  const mailboxPaths = async (accountId = 'acc_alice') => {
    const { list } = await deployment.call('Mailbox/get', { accountId, ids: null }, { token: accountId.replace('acc_', '') }) as {
      list: Json[];
    };
    const pathOf = (id: string): string => {
      const mailbox = list.find((each) => each['id'] === id)!;
      return mailbox['parentId'] ? `${pathOf(mailbox['parentId'] as string)}/${String(mailbox['name'])}` : String(mailbox['name']);
    };
    return new Map(list.map(({ id }) => [id as string, pathOf(id as string)]));
  };
  return {
    deployment, faults, requests, url: base(), emails, mailboxPaths,
    close: () => { server.closeAllConnections(); server.close(); },
  };
};
export type MailDeployment = Awaited<ReturnType<typeof mailDeployment>>;
