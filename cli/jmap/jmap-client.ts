import { createHash } from 'node:crypto';
import { isObject } from '../../contract/jmap/data-type.ts';
import type { MailContext } from '../terminal/cli-context.ts';
import { CliError } from '../terminal/cli-error.ts';
import { backoff, HttpRefused, type HttpClient } from './http-client.ts';
import { parseSession, type MailSession, type Session } from './mail-session.ts';

export type Arguments = Record<string, unknown>;
type MethodCall = readonly [name: string, args: Arguments, id: string];

/** Thrown for a method error that is not transient (RFC 8620 §3.6.2). */
export class MethodError extends Error {
  override readonly name = 'MethodError';
  readonly type: string;
  constructor(method: string, { type, description }: { type?: unknown; description?: unknown }) {
    super(`${method}: ${String(type)}${typeof description === 'string' ? `: ${description}` : ''}`);
    this.type = String(type);
  }
}

/** Method errors after which the same call may succeed later. */
const transientTypes = ['serverUnavailable', 'serverPartialFail', 'rateLimit'];

/** Thrown for a message that exceeds the server's limits for every method. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** The digest by which a message or a name is recognized: 132 bits of SHA-256. */
export const digestOf = (content: Buffer | string): string => createHash('sha256').update(content).digest('base64url').slice(0, 22);

/** Calls methods. @returns the arguments of their responses, which are assumed to have the types of the RFCs. */
type Call = <Answers extends readonly (object | undefined)[] = readonly Arguments[]>(calls: readonly MethodCall[]) => Promise<Answers>;

export type JmapClient = {
  readonly session: MailSession;
  /**
   * Calls methods of the account in one request. The calls must be repeatable.
   * @returns the arguments of their responses.
   */
  readonly call: Call;
  /** Stores octets as a blob. @returns the blob id. @throws TooLarge. */
  readonly upload: (content: Buffer) => Promise<string>;
  /**
   * Stores several small contents as blobs in one request (RFC 9404 §4.1).
   * @returns the blob id of each content, or the error.
   */
  readonly uploadTogether: (contents: readonly Buffer[]) => Promise<readonly (string | MethodError)[]>;
  /** Reads a property of blobs (RFC 9404 §4.2), by blob id. Blobs that do not fit into one response are left out. */
  readonly blobProperty: (blobIds: readonly string[], property: string) => Promise<ReadonlyMap<string, string>>;
  /** Maximum octets of contents in one request of `uploadTogether`; 0 when the server has no Blob methods. */
  readonly maxTogether: number;
  /** Downloads a blob. @returns undefined when the blob does not exist any more. */
  readonly download: (blobId: string) => Promise<Buffer | undefined>;
  /** Maximum octets of a message that the server accepts. */
  readonly maxMessageSize: number;
};

export const readSession = async (http: HttpClient, jmapUrl: string): Promise<Session> => {
  const url = `${jmapUrl}/.well-known/jmap`;
  const response = await http.send(url, { method: 'GET' });
  return parseSession(await response.json().catch(() => undefined), url);
};

type BlobUploadResponse = { readonly created?: Record<string, { readonly id: string }> | null; readonly notCreated?: Record<string, Arguments> | null };

type BlobGetResponse = { readonly list: readonly { readonly id: string; readonly isTruncated?: boolean; readonly [property: string]: unknown }[] };

/** Octets of a request besides its contents: the names of at most some hundred contents. */
const requestOverhead = 64 * 1024;

type Responses = { readonly methodResponses: readonly MethodCall[] };

export const jmapClient = (context: MailContext, http: HttpClient, session: MailSession): JmapClient => {
  const { accountId, limits, blob } = session;
  const post = async (calls: readonly MethodCall[]): Promise<Responses> => {
    const methodCalls = calls.map(([name, args, id]) => [name, { accountId, ...args }, id]);
    const body = JSON.stringify({ using: session.using, methodCalls });
    const response = await http.send(session.apiUrl, { method: 'POST', type: 'application/json', body });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!isObject(answer) || !Array.isArray(answer['methodResponses'])) throw new CliError(`${new URL(session.apiUrl).host} sent no JMAP response`);
    return { methodResponses: answer['methodResponses'] };
  };
  const call: Call = async <Answers extends readonly (object | undefined)[]>(calls: readonly MethodCall[]): Promise<Answers> => {
    const pauses = backoff(context);
    for (;;) {
      const { methodResponses } = await post(calls);
      const failed = methodResponses.find(([name]) => name === 'error');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the callers state the types of the responses
      if (!failed) return methodResponses.map(([, args]) => args) as readonly object[] as Answers;
      const error = new MethodError(calls.find(([, , id]) => id === failed[2])?.[0] ?? 'request', failed[1]);
      if (!transientTypes.includes(error.type)) throw error;
      await pauses.wait(error.message);
    }
  };
  const uploadOnce = async (content: Buffer): Promise<string> => {
    const response = await http.send(session.uploadUrl, { method: 'POST', type: 'application/octet-stream', body: content });
    const uploaded: unknown = await response.json();
    const blobId = isObject(uploaded) ? uploaded['blobId'] : undefined;
    if (typeof blobId !== 'string') throw new CliError(`${new URL(session.uploadUrl).host} sent no blob id`);
    return blobId;
  };
  const maxParts = blob?.maxDataSources ?? 1;
  const maxMessageSize = blob
    ? Math.max(limits.maxSizeUpload, Math.min(blob.maxSizeBlobSet ?? Infinity, maxParts * limits.maxSizeUpload))
    : limits.maxSizeUpload;

  /** Creates blobs from data sources (RFC 9404 §4.1). */
  const createBlobs = async (sources: readonly (readonly object[])[]): Promise<(string | MethodError)[]> => {
    const create = Object.fromEntries(sources.map((data, index) => [`b${index}`, { data, type: 'message/rfc822' }]));
    const [{ created, notCreated }] = await call<[BlobUploadResponse]>([['Blob/upload', { create }, 'u']]);
    return sources.map((_, index) => created?.[`b${index}`]?.id ?? new MethodError('Blob/upload', notCreated?.[`b${index}`] ?? {}));
  };

  /** Uploads a message in parts, which the server then concatenates. */
  const uploadInParts = async (content: Buffer): Promise<string> => {
    const data: { blobId: string }[] = [];
    for (let start = 0; start < content.length; start += limits.maxSizeUpload) {
      data.push({ blobId: await uploadOnce(content.subarray(start, start + limits.maxSizeUpload)) });
    }
    const [result] = await createBlobs([data]);
    if (typeof result === 'string') return result;
    throw result ?? new MethodError('Blob/upload', {});
  };
  return {
    session,
    call,
    maxMessageSize,
    maxTogether: blob ? Math.floor((limits.maxSizeRequest - requestOverhead) / 4) * 3 : 0,
    uploadTogether: (contents) => createBlobs(contents.map((content) => [{ 'data:asBase64': content.toString('base64') }])),
    async blobProperty(ids, property) {
      const [answer] = await call<[BlobGetResponse]>([['Blob/get', { ids, properties: [property] }, 'b']]).catch((error: unknown): [BlobGetResponse] => {
        // The blobs do not fit into one response.
        if (error instanceof MethodError) return [{ list: [] }];
        throw error;
      });
      return new Map(
        answer.list.flatMap(({ id, isTruncated, [property]: value }) => (typeof value === 'string' && isTruncated !== true ? [[id, value] as const] : [])),
      );
    },
    async upload(content) {
      if (content.length <= limits.maxSizeUpload) return uploadOnce(content);
      if (content.length > maxMessageSize) throw new TooLarge(`the account takes messages of at most ${maxMessageSize} octets`);
      return uploadInParts(content);
    },
    async download(blobId) {
      const response = await http.send(session.downloadUrl(blobId), { method: 'GET' }).catch((error: unknown) => {
        if (error instanceof HttpRefused && error.status === 404) return undefined;
        throw error;
      });
      return response && Buffer.from(await response.arrayBuffer());
    },
  };
};
