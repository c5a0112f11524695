import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { messageOf } from '../../../../contract/values/thrown.ts';
import type { EmulatorAddress } from '../../../deployment/aws-target.ts';
import { listenOnLoopback, type RunningServer } from '../../../process/loopback-server.ts';
import { forwardToEmulator, refuseByModel } from '../../emulator-requests.ts';
import { SesError, badRequest } from '../message/ses-error.ts';
import { answerQuery, type QueryOperation, type QueryResponse } from './query-operation.ts';
import type { SesRequest, SesOperation } from './ses-operation.ts';

const base = '/v2/email';

/** Maximum octets of a request: a message of 40 MB in base64, in JSON. */
const largestBody = 60 * 1024 * 1024;

const contentOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) throw badRequest('The request is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const jsonOf = (content: Buffer): unknown => {
  if (content.length === 0) return {};
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    throw badRequest('The request is not JSON.');
  }
};

const pathPattern = ({ path }: SesOperation) => new RegExp(`^${base}${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`);

type MatchedOperation = { readonly operation: SesOperation; readonly parameters: Record<string, string> };

const operationFinder = (operations: readonly SesOperation[]) => {
  const routes = operations.map((operation) => ({ operation, pattern: pathPattern(operation) }));
  return (method: string, path: string): MatchedOperation | undefined => {
    for (const { operation, pattern } of routes) {
      const match = operation.method === method ? pattern.exec(path) : null;
      if (match) {
        return { operation, parameters: Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)])) };
      }
    }
    return undefined;
  };
};

const answer = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

const refuse = (response: ServerResponse, error: unknown): void => {
  const known = error instanceof SesError ? error : new SesError('InternalServiceErrorException', messageOf(error));
  answer(response, known.status, { message: known.message }, { 'x-amzn-errortype': known.name });
};

const answerXml = (response: ServerResponse, { status, body }: QueryResponse): void => {
  response.writeHead(status, { 'content-type': 'text/xml' });
  response.end(body);
};

/**
 * Starts SES API v2 and v1 on 127.0.0.1. All other operations are forwarded to the emulator. Signatures are not
 * checked.
 * @throws SandboxError for a port that is taken.
 */
export const startSesApi = (
  port: number,
  emulator: EmulatorAddress,
  operations: readonly SesOperation[],
  queryOperations: readonly QueryOperation[] = [],
): Promise<RunningServer> => {
  const find = operationFinder(operations);
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
      const content = await contentOf(incoming);
      const service = url.pathname === '/' ? 'ses' : 'sesv2';
      if (await refuseByModel(emulator.endpoint, service, incoming, content, response)) return undefined;
      const answered = url.pathname === '/' ? await answerQuery(queryOperations, content) : undefined;
      if (answered) return answerXml(response, answered);
      const found = find(incoming.method ?? '', url.pathname);
      if (!found) return await forwardToEmulator(emulator.endpoint, incoming, content, response);
      const request: SesRequest = { parameters: found.parameters, query: url.searchParams, body: jsonOf(content) };
      answer(response, 200, await found.operation.run(request));
    } catch (error) {
      if (response.headersSent) response.destroy();
      else refuse(response, error);
    }
    return undefined;
  };
  return listenOnLoopback(
    port,
    createServer((incoming, response) => void serve(incoming, response)),
  );
};
