import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { accountBlobs } from '../../core/blobs/account-blobs.ts';
import type { StreamedResponse } from '../../core/runtime/http/http.ts';
import { jmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { downloadSlots } from '../../lambdas/downloads/download-slots.ts';
import { serveDownloads } from '../../lambdas/downloads/serve-downloads.ts';
import { serveUploads } from '../../lambdas/uploads/serve-uploads.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../lambdas/jmap/jmap-deployment.ts';
import { contentOf, downloadRequest, uploadRequest } from '../support/blob-requests.ts';

/** The fault of a request. */
type FaultKind = 'drop' | 'lose' | { readonly status: number; readonly body?: Json } | undefined;
export type Fault = (path: string, body: string) => FaultKind | Promise<FaultKind>;

/** The response of the downloads Lambda or of the uploads Lambda. */
const blobResponse = async (
  { jmap, objects, mail, verify, now }: JmapDeployment,
  request: IncomingMessage,
  url: URL,
  body: Buffer,
): Promise<StreamedResponse> => {
  const shared = { gate: jmapGate(verify, url.origin), principals: jmap.principals, jmapUrl: url.origin, log: jmap.log };
  const headers = request.headers as Record<string, string>;
  if (url.pathname === '/download') {
    const serve = serveDownloads({ ...shared, blobs: accountBlobs(mail, objects), slots: downloadSlots(mail, now, jmap.log) });
    const response = await serve(downloadRequest(Object.fromEntries(url.searchParams), headers, { path: url.pathname }));
    await response.release?.();
    return response;
  }
  return serveUploads({ ...shared, objects, clock: now, uploadedOctets: jmap.dependencies.uploadedOctets })(
    uploadRequest(url.pathname.split('/')[2]!, body, headers, { method: request.method!, path: url.pathname }),
  );
};

/**
 * The Lambdas of JMAP, uploads and downloads over fakes, behind an HTTP server. The token is a principal's name, such as `alice`.
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
    const answer = isBlob
      ? await blobResponse(deployment, request, url, body)
      : await deployment.http(request.method ?? '', url.pathname, { token: request.headers.authorization?.replace('Bearer ', '') ?? null, body: text });
    if (fault === 'lose') return void response.destroy();
    return void response.writeHead(answer.statusCode ?? 500, answer.headers as Record<string, string>).end(contentOf(answer));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      deployment.logged.push(error);
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(deployment.jmap.settings, { jmapUrl: base(), uploadUrl: `${base()}/upload`, downloadUrl: `${base()}/download` });

  /** All Emails of an account with their raw messages. */
  const emails = async (accountId = 'acc_alice') => {
    const { list } = await deployment.call(
      'Email/get',
      { accountId, ids: null, properties: ['id', 'blobId', 'mailboxIds', 'keywords', 'receivedAt', 'subject'] },
      { token: accountId.replace('acc_', '') },
    );
    return (list as Json[]).map((email) => ({ ...email, keywords: Object.keys(email['keywords'] as object).sort() })) as Json[];
  };
  /** The paths of an account's mailboxes, by id. */
  const mailboxPaths = async (accountId = 'acc_alice') => {
    const { list } = (await deployment.call('Mailbox/get', { accountId, ids: null }, { token: accountId.replace('acc_', '') })) as { list: Json[] };
    const pathOf = (id: string): string => {
      const mailbox = list.find((each) => each['id'] === id)!;
      return mailbox['parentId'] ? `${pathOf(mailbox['parentId'] as string)}/${String(mailbox['name'])}` : String(mailbox['name']);
    };
    return new Map(list.map(({ id }) => [id as string, pathOf(id as string)]));
  };
  return {
    deployment,
    faults,
    requests,
    url: base(),
    emails,
    mailboxPaths,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
export type MailDeployment = Awaited<ReturnType<typeof mailDeployment>>;
