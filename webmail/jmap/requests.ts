import { capability } from '../../contract/jmap/core.ts';
import type { Id, Session, SetError } from './types.ts';

/** The error of a method call (RFC 8620 §3.6.2). */
export class MethodError extends Error {
  override readonly name = 'MethodError';
  readonly type: string;
  constructor(type: string, description: string | undefined) {
    super(description ?? type);
    this.type = type;
  }
}

/** Thrown when the server refused a whole request (RFC 8620 §3.6.1), or is no JMAP server. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** Thrown when a change was sent and no response came, so that nobody knows whether it was made. */
export class ResponseLost extends Error {
  override readonly name = 'ResponseLost';
}

/** Why something failed, in words. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The reason of a refusal, in the server's words. */
export const refusalOf = (error: SetError | undefined): string => error?.description ?? error?.type ?? 'serverFail';

/** Whether the server answers: `waiting` while it is busy or cannot be reached, and requests are tried again. */
export type Connection = 'working' | 'waiting';

export type Arguments = Readonly<Record<string, unknown>>;

/** A call that is part of the next request. */
export type Call<T> = {
  readonly result: Promise<T>;
  /** A value of the result as an argument of another call of the same tick (RFC 8620 §3.7): `{'#ids': call.ref('/ids')}`. */
  ref(path: string): ResultReference;
};
/** Makes a method call in an account. */
export type CallMethod = <T>(name: string, args: Arguments) => Call<T>;
export type ResultReference = { readonly resultOf: string; readonly name: string; readonly path: string };

export type Requests = {
  /**
   * Makes a method call. The calls of one tick are one request, unless that has more calls than the session allows; calls
   * that refer to each other stay together.
   * @throws MethodError, RequestRefused, ResponseLost, or what `accessToken` throws.
   */
  call<T>(name: string, args: Arguments, options?: { readonly signal?: AbortSignal }): Call<T>;
};

/** Makes calls in an account. */
export const callsIn =
  (requests: Requests, accountId: Id): CallMethod =>
  (name, args) =>
    requests.call(name, { accountId, ...args });

export type RequestDependencies = {
  readonly session: () => Session;
  readonly accessToken: (refused?: string) => Promise<string>;
  readonly fetch: (url: string, init: RequestInit & { readonly body: string }) => Promise<Response>;
  readonly onConnection: (connection: Connection) => void;
  /** Waits some milliseconds, or until the browser is online again. */
  readonly wait: (milliseconds: number) => Promise<void>;
};

type Queued = {
  readonly id: string;
  readonly name: string;
  readonly args: Arguments;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
};

type Invocation = readonly [name: string, args: Arguments & { readonly type?: string; readonly description?: string }, id: string];

/** Milliseconds before another try of a request that was not answered: the first one, and the longest. */
export const [firstWait, longestWait] = [1000, 30_000];

/** Whether a status says that the same request may be answered later. */
export const isBusy = (status: number): boolean => [429, 502, 503, 504].includes(status);

const referencesOf = ({ args }: Queued): string[] =>
  Object.entries(args).flatMap(([name, value]) =>
    name.startsWith('#') && typeof value === 'object' && value !== null && 'resultOf' in value ? [String(value.resultOf)] : [],
  );

/** Divides calls into requests. A call that refers to others is in their request. */
const divide = (calls: readonly Queued[], maxCalls: number): readonly (readonly Queued[])[] => {
  const groupOf = new Map<string, Set<Queued>>();
  for (const call of calls) {
    const referred = referencesOf(call).flatMap((id) => groupOf.get(id) ?? []);
    const group = referred[0] ?? new Set();
    for (const member of [...referred.slice(1).flatMap((other) => [...other]), call]) {
      group.add(member);
      groupOf.set(member.id, group);
    }
  }
  const groups = new Set(calls.flatMap(({ id }) => groupOf.get(id) ?? []));
  const requests: Queued[][] = [];
  for (const group of groups) {
    const last = requests.at(-1);
    if (last && last.length + group.size <= maxCalls) last.push(...group);
    else requests.push([...group]);
  }
  return requests;
};

const changes = ({ name }: Queued): boolean => /\/(?:set|copy|import|upload)$/.test(name);

type CoreLimit = 'maxCallsInRequest' | 'maxObjectsInGet' | 'maxObjectsInSet' | 'maxSizeUpload' | 'maxConcurrentUpload';

/** A limit of the core capability (RFC 8620 §2), or what a server that tells none is asked for. */
export const coreLimit = ({ capabilities }: Session, name: CoreLimit, otherwise: number): number => {
  const limits = capabilities[capability.core];
  const found = typeof limits === 'object' && limits !== null ? Number(Reflect.get(limits, name)) : Number.NaN;
  return found >= 1 ? found : otherwise;
};

/** Maximum objects of one call that changes them (RFC 8620 §2). */
export const maxObjectsInSet = (session: Session): number => coreLimit(session, 'maxObjectsInSet', 500);

/** Why the server refused, in its words. */
export const detailOf = async (response: Response): Promise<string> => {
  const problem: unknown = await response.json().catch(() => undefined);
  const detail = typeof problem === 'object' && problem !== null && 'detail' in problem ? problem.detail : undefined;
  return typeof detail === 'string' ? detail : `The server answers ${response.status}.`;
};

/** Milliseconds of Retry-After (RFC 9110 §10.2.3), if it is a number of seconds. */
export const retryAfter = (response: Response): number | undefined => {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? Math.min(seconds * 1000, 10 * longestWait) : undefined;
};

export const createRequests = (dependencies: RequestDependencies): Requests => {
  const { session, accessToken, fetch, onConnection, wait } = dependencies;
  let queue: Queued[] = [];
  let count = 0;

  const post = async (calls: readonly Queued[], signal: AbortSignal, refused?: string): Promise<Response> => {
    const token = await accessToken(refused);
    const { apiUrl, capabilities } = session();
    const body = JSON.stringify({ using: Object.keys(capabilities), methodCalls: calls.map(({ name, args, id }) => [name, args, id]) });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(apiUrl, { method: 'POST', headers, body, signal });
    // A token can end before its time. One more is tried, once.
    return response.status === 401 && refused === undefined ? post(calls, signal, token) : response;
  };

  /** Posts until the server answers. A change is sent again only if the server said that it did not make it. */
  const answered = async (calls: readonly Queued[], signal: AbortSignal): Promise<Response> => {
    for (let delay = firstWait; ; delay = Math.min(2 * delay, longestWait)) {
      let pause = delay;
      try {
        const response = await post(calls, signal);
        if (!isBusy(response.status)) return response;
        const isUnknown = response.status === 502 || response.status === 504;
        if (isUnknown && calls.some(changes)) throw new ResponseLost('the response to a change was lost');
        pause = retryAfter(response) ?? delay;
      } catch (error) {
        // `fetch` throws a TypeError for a server that cannot be reached.
        if (!(error instanceof TypeError) || signal.aborted) throw error;
        if (calls.some(changes)) throw new ResponseLost('the response to a change was lost', { cause: error });
      }
      onConnection('waiting');
      await wait(pause);
      signal.throwIfAborted();
    }
  };

  const settle = (calls: readonly Queued[], responses: readonly Invocation[]): void => {
    for (const { id, name, resolve, reject } of calls) {
      const own = responses.filter(([, , of]) => of === id);
      const [responseName, result] = own.find(([found]) => found === name) ?? own[0] ?? [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- who makes a call says the type of its result
      if (responseName === name) resolve(result as never);
      else if (responseName === 'error') reject(new MethodError(result?.type ?? 'serverFail', result?.description));
      else reject(new MethodError('serverFail', `The server did not answer ${name}.`));
    }
  };

  const send = async (calls: readonly Queued[]): Promise<void> => {
    const abort = new AbortController();
    let open = calls.length;
    for (const { signal } of calls) {
      signal?.addEventListener('abort', () => {
        open -= 1;
        if (open === 0) abort.abort();
      });
    }
    try {
      const response = await answered(calls, abort.signal);
      if (!response.ok) throw new RequestRefused(response.status, await detailOf(response));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JMAP server answers so (RFC 8620 §3.4)
      const { methodResponses } = (await response.json()) as { readonly methodResponses: readonly Invocation[] };
      onConnection('working');
      settle(calls, methodResponses);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  };

  const flush = (): void => {
    const calls = queue.filter(({ signal }) => !signal?.aborted);
    queue = [];
    for (const request of divide(calls, coreLimit(session(), 'maxCallsInRequest', 16))) void send(request);
  };

  return {
    call<T>(name: string, args: Arguments, { signal }: { readonly signal?: AbortSignal } = {}): Call<T> {
      count += 1;
      const id = `c${count}`;
      const result = new Promise<T>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener('abort', () => reject(signal.reason));
        if (queue.length === 0) setTimeout(flush);
        queue.push({ id, name, args, signal, resolve, reject });
      });
      return { result, ref: (path) => ({ resultOf: id, name, path }) };
    },
  };
};
