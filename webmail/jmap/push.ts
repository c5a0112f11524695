import { capability } from '../../contract/jmap/core.ts';
import type { Id, Session } from './types.ts';

/** Tells when something changed at the server. */
export type Push = { stop(): void };

/** The states of types in accounts that changed (RFC 8620 §7.1). Undefined where changes may have been missed. */
export type Changed = Readonly<Record<Id, Readonly<Record<string, string>>>> | undefined;

type StateChange = { readonly '@type'?: string; readonly changed?: Changed };

export type PushDependencies = {
  readonly session: () => Session;
  readonly accessToken: (refused?: string) => Promise<string>;
  /** The parameter of the WebSocket's URL for the token; undefined where the server takes none. */
  readonly tokenParameter: string | undefined;
  /** Is called after a change, and whenever changes may have been missed. */
  readonly onChange: (changed: Changed) => void;
};

const types = ['Email', 'Mailbox', 'Thread'];

/** Milliseconds before another try of a connection that failed: the first one, and the longest. */
const [firstWait, longestWait] = [1000, 60_000];

/** Milliseconds for which a connection is good, after which a failure begins with the first wait again. */
const goodAfter = 30_000;

const webSocketUrl = ({ capabilities }: Session): string | undefined => {
  const value = capabilities[capability.webSocket];
  const isPush = typeof value === 'object' && value !== null && 'supportsPush' in value && value.supportsPush === true;
  return isPush && 'url' in value && typeof value.url === 'string' ? value.url : undefined;
};

/** A WebSocket (RFC 8887). Resolves when it is closed. */
const overSocket = (url: string, onChange: (changed: Changed) => void, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url, 'jmap');
    signal.addEventListener('abort', () => socket.close());
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ '@type': 'WebSocketPushEnable', dataTypes: types }));
      onChange(undefined);
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const frame: StateChange = JSON.parse(data);
      if (frame['@type'] === 'StateChange') onChange(frame.changed);
    });
    socket.addEventListener('close', () => resolve());
  });

/** The states of a StateChange. Of one in several lines, or one that can't be read, it is known only that something changed. */
const changedOf = (data: string): Changed => {
  try {
    const change: StateChange = JSON.parse(data);
    return change.changed;
  } catch {
    return undefined;
  }
};

/** The event source (RFC 8620 §7.3), read by fetch, because an EventSource sends no token. Resolves when it ends. */
const overEvents = async (url: string, token: string, onChange: (changed: Changed) => void, signal: AbortSignal): Promise<void> => {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' }, signal });
  if (!response.ok || !response.body) throw new Error(`the event source answers ${response.status}`);
  onChange(undefined);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let line = '';
  let isState = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (line + value).split(/\r\n|[\r\n]/);
    line = lines.pop() ?? '';
    for (const each of lines) {
      const [, field, text = ''] = /^(event|data): ?(.*)$/.exec(each) ?? [];
      if (field === 'event') isState = text === 'state';
      if (field === 'data' && isState) onChange(changedOf(text));
    }
  }
};

/** One connection, until it ends. */
const connect = async ({ session, accessToken, tokenParameter, onChange }: PushDependencies, signal: AbortSignal): Promise<void> => {
  const [token, current] = [await accessToken(), session()];
  const socket = tokenParameter === undefined ? undefined : webSocketUrl(current);
  if (socket !== undefined && tokenParameter !== undefined) {
    const url = new URL(socket);
    url.searchParams.set(tokenParameter, token);
    return overSocket(url.href, onChange, signal);
  }
  const url = current.eventSourceUrl.replace('{types}', types.join(',')).replace('{closeafter}', 'no').replace('{ping}', '60');
  return overEvents(url, token, onChange, signal);
};

/**
 * Listens for changes, with one connection for all tabs of a person: the tab that holds the lock tells the others. While
 * there is no connection, a tab asks when it gets the focus.
 */
export const startPush = (dependencies: PushDependencies): Push => {
  const { session, onChange } = dependencies;
  const name = `webmail-push ${session().apiUrl} ${session().username}`;
  const channel = new BroadcastChannel(name);
  const abort = new AbortController();
  const { signal } = abort;
  channel.addEventListener('message', ({ data }: MessageEvent<Changed>) => onChange(data));
  const tellAll = (changed: Changed): void => {
    onChange(changed);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin
    if (!signal.aborted) channel.postMessage(changed);
  };
  let wake = (): void => undefined;
  const onFocus = (): void => {
    wake();
    onChange(undefined);
  };
  for (const event of ['focus', 'online']) window.addEventListener(event, onFocus, { signal });

  const run = async (): Promise<void> => {
    for (let wait = firstWait; !signal.aborted; wait = Math.min(2 * wait, longestWait)) {
      const begun = Date.now();
      await connect({ ...dependencies, onChange: tellAll }, signal).catch(() => undefined);
      if (Date.now() - begun > goodAfter) wait = firstWait;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, signal.aborted ? 0 : wait * (0.5 + Math.random()));
      });
    }
  };
  navigator.locks.request(name, { signal }, run).catch(() => undefined);
  return {
    stop() {
      abort.abort();
      channel.close();
      wake();
    },
  };
};
