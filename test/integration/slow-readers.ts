import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { get as getSecurely } from 'node:https';
import { bearer, httpRequest } from './http-requests.ts';
import type { JmapClient } from './jmap-client.ts';

/** Stores a blob of random octets, in pieces that are joined. @returns its id. */
export const storeLargeBlob = async (client: JmapClient, octets: number): Promise<string> => {
  const pieces = Array.from({ length: Math.ceil(octets / 4_000_000) }, (_, index) => Math.min(4_000_000, octets - index * 4_000_000));
  const data: { blobId: unknown }[] = [];
  for (const piece of pieces) data.push({ blobId: ((await client.upload(randomBytes(piece), 'application/octet-stream')).json as { blobId: string }).blobId });
  const [joined] = await client.call(['Blob/upload', { create: { whole: { data } } }]);
  return (joined!['created'] as { whole: { id: string } }).whole.id;
};

/** A reader that has the status and the header fields, and takes nothing of the content until it is told to. */
export type SlowReader = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Takes everything. @returns its octets. Rejects when the connection breaks. */
  readRest(): Promise<number>;
  disconnect(): void;
};

export const beginDownload = async (client: JmapClient, token: string, blobId: string, headers: Readonly<Record<string, string>> = {}): Promise<SlowReader> => {
  const url = client.session.downloadUrl
    .replace('{accountId}', client.accountId)
    .replace('{blobId}', blobId)
    .replace(/\{\w+\}/g, '');
  const request = (url.startsWith('https:') ? getSecurely : get)(url, { agent: false, headers: { ...bearer(token), ...headers } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return {
    status: response.statusCode!,
    headers: response.headers,
    async readRest() {
      let octets = 0;
      for await (const piece of response as AsyncIterable<Buffer>) octets += piece.length;
      return octets;
    },
    disconnect: () => void response.destroy(),
  };
};

/** Sets the AWS account's limit of concurrent Lambdas in the emulator. @returns the limit before. */
export const limitConcurrency = async (endpoint: string, limit: number): Promise<number> => {
  const name = 'lambda_svc._ACCOUNT_CONCURRENCY_CAP';
  const { json } = await httpRequest(`${endpoint}/_ministack/config`, { method: 'POST', body: JSON.stringify({ [name]: limit }) });
  return (json as Record<string, number>)[name]!;
};
