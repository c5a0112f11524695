import { createRequire } from 'node:module';

/** Results of methods, with the properties that the tests read. */
type Results = {
  get: { readonly state: string; readonly list: readonly { readonly id: string; readonly subject: string }[] };
  changes: { readonly newState: string; readonly created: readonly string[] };
  query: { readonly ids: readonly string[] };
  set: Record<string, unknown>;
};
type Method = keyof Results;
type Arguments = Record<string, unknown>;
type Draft = { $ref(path: string): unknown };

/** The members of a client that the tests use. */
type Jam = {
  readonly session: Promise<{
    readonly username: string;
    readonly apiUrl: string;
    readonly eventSourceUrl: string;
    readonly uploadUrl: string;
    readonly capabilities: { readonly [uri: string]: { readonly maxSizeUpload?: number } };
  }>;
  readonly api: {
    readonly Email: { readonly [M in Method]: (args: Arguments) => Promise<[Results[M], unknown]> };
    readonly EmailSubmission: { readonly [M in 'get' | 'set']: (args: Arguments) => Promise<[Results[M], unknown]> };
    readonly Identity: { readonly get: (args: Arguments) => Promise<[Results['get'], unknown]> };
    readonly Mailbox: { readonly get: (args: Arguments) => Promise<[Results['get'], unknown]> };
  };
  getPrimaryAccount(): Promise<string>;
  uploadBlob(accountId: string, body: Blob): Promise<{ readonly blobId: string }>;
  downloadBlob(blob: { readonly accountId: string; readonly blobId: string; readonly mimeType: string; readonly fileName: string }): Promise<Response>;
  /** Calls one method. */
  request(call: readonly [method: string, args: Arguments], options?: { readonly using?: readonly string[] }): Promise<[Record<string, unknown>, unknown]>;
  /** Calls several methods in one request. A draft may refer to the result of another one. */
  requestMany<Drafts extends Record<string, Draft>>(
    build: (draft: { readonly Email: { readonly [M in Method]: (args: Arguments) => Draft } }) => Drafts,
  ): Promise<[Record<keyof Drafts, Results['get']>, unknown]>;
  /** Connects by the global EventSource, without a token. */
  connectEventSource(options: { readonly types: '*' | readonly string[]; readonly ping: number; readonly closeafter?: 'state' | 'no' }): Promise<EventSource>;
};

/**
 * The published JMAP client library jmap-jam. Its types are TypeScript sources with syntax that our compiler options
 * forbid, so the tests declare their own types.
 */
export const { JamClient } = createRequire(import.meta.url)('jmap-jam') as {
  readonly JamClient: new (options: { readonly sessionUrl: string; readonly bearerToken: string }) => Jam;
};
