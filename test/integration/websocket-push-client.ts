import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { StateChange } from '../../contract/jmap/push.ts';
import { deployed } from './deployment.ts';
import { bearer, eventually } from './http-requests.ts';

export type Frame = Record<string, unknown>;

/** A client's WebSocket with the frames that it received. */
export type PushClient = {
  readonly frames: readonly Frame[];
  send(frame: unknown): void;
  /** Waits for the first frame that matches. @throws Error after a minute. */
  receive(matches: (frame: Frame) => boolean): Promise<Frame>;
  /** Sends WebSocketPushEnable. @returns the response, a StateChange without changes but with a pushState. */
  enable(options?: { readonly dataTypes?: readonly string[] | null; readonly pushState?: string }): Promise<Frame>;
  /** Waits until the socket is closed. @returns the close code. */
  closed(): Promise<number>;
  disconnect(): void;
};

const openSockets: WebSocket[] = [];

/** Terminates every socket that {@link openSocket} opened. */
export const closeAllSockets = (): void => {
  for (const socket of openSockets.splice(0)) socket.terminate();
};

/** A socket of this process or of a browser. Each received frame is added to `frames`. */
type SocketTransport = {
  readonly frames: readonly Frame[];
  readonly send: (text: string) => void;
  readonly closed: () => Promise<number>;
  readonly disconnect: () => void;
};

export const pushClientOver = ({ frames, send, closed, disconnect }: SocketTransport): PushClient => {
  const client: PushClient = {
    frames,
    send: (frame) => send(JSON.stringify(frame)),
    receive: (matches) =>
      eventually(async () => {
        const frame = frames.find(matches);
        if (!frame) throw new Error(`no frame matches: ${JSON.stringify(frames)}`);
        return frame;
      }, 10),
    async enable(options = {}) {
      const before = frames.length;
      client.send({ '@type': 'WebSocketPushEnable', dataTypes: null, ...options });
      return client.receive((frame) => frames.indexOf(frame) >= before && isStateChange(frame) && Object.keys(frame.changed).length === 0);
    },
    closed,
    disconnect,
  };
  return client;
};

/** @param onFrame is called with each received frame. */
export const openSocket = async (token: string, onFrame: (frame: Frame) => void = () => undefined): Promise<PushClient> => {
  const socket = new WebSocket(deployed.webSocketUrl, 'jmap', { headers: bearer(token) });
  openSockets.push(socket);
  const frames: Frame[] = [];
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    frames.push(frame);
    onFrame(frame);
  });
  const closing = once(socket, 'close') as Promise<[number]>;
  await once(socket, 'open');
  return pushClientOver({ frames, send: (text) => socket.send(text), closed: async () => (await closing)[0], disconnect: () => socket.terminate() });
};

export const isStateChange = (frame: Frame): frame is Frame & StateChange => frame['@type'] === 'StateChange';

/** The state of an account and type in a StateChange. */
export const pushedState = (frame: Frame, accountId: string, type: keyof StateChange['changed'][string]): string | undefined =>
  isStateChange(frame) ? frame.changed[accountId]?.[type] : undefined;

/** Whether a frame is a StateChange with this state. */
export const announcesState =
  (accountId: string, type: 'Email' | 'EmailDelivery' | 'Identity' | 'Mailbox' | 'Thread', state: string) =>
  (frame: Frame): boolean =>
    pushedState(frame, accountId, type) === state;

/** The pushState of the newest frame that has one. */
export const pushStateIn = (frames: readonly Frame[]): string => frames.findLast((frame) => typeof frame['pushState'] === 'string')!['pushState'] as string;
