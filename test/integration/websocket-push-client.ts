import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { StateChange } from '../../contract/jmap/push.ts';
import { deployed } from './deployment.ts';
import { bearer, eventually } from './http-requests.ts';

export type Frame = Record<string, unknown>;

/** A client's socket, and everything that it received. */
export type PushClient = {
  readonly frames: readonly Frame[];
  send(frame: unknown): void;
  /** The first frame that fits, when it is there; fails after the time in milliseconds. */
  receive(fits: (frame: Frame) => boolean, within?: number): Promise<Frame>;
  /** Asks for pushes and waits for the answer, which says from where to go on. */
  enable(more?: { readonly dataTypes?: readonly string[] | null; readonly pushState?: string }): Promise<Frame>;
  /** Until the server has closed it. @returns the close code. */
  closed(): Promise<number>;
  disconnect(): void;
};

const openSockets: WebSocket[] = [];

/** Ends every socket that a test file opened. */
export const closeAllSockets = (): void => {
  for (const socket of openSockets.splice(0)) socket.terminate();
};

/** Where a client's socket is: in this process or in a browser. `frames` grows as they come. */
export type SocketTransport = { readonly frames: readonly Frame[]; readonly send: (text: string) => void; readonly closed: () => Promise<number>; readonly disconnect: () => void };

export const pushClientOver = ({ frames, send, closed, disconnect }: SocketTransport): PushClient => {
  const client: PushClient = {
    frames,
    send: (frame) => send(JSON.stringify(frame)),
    receive: (fits, within = 15_000) => eventually(within, async () => {
      const found = frames.find(fits);
      if (!found) throw new Error(`no such frame among: ${JSON.stringify(frames)}`);
      return found;
    }, 10),
    async enable(more = {}) {
      const before = frames.length;
      client.send({ '@type': 'WebSocketPushEnable', dataTypes: null, ...more });
      return client.receive((frame) => frames.indexOf(frame) >= before && isStateChange(frame) && Object.keys(frame.changed).length === 0);
    },
    closed,
    disconnect,
  };
  return client;
};

/** @param onFrame is called with each frame as it comes. */
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

/** A state of an account that a StateChange told of. */
export const pushedState = (frame: Frame, accountId: string, type: keyof StateChange['changed'][string]): string | undefined =>
  (isStateChange(frame) ? frame.changed[accountId]?.[type] : undefined);

/** Whether a frame tells that this state was reached. */
export const announcesState = (accountId: string, type: 'Email' | 'EmailDelivery' | 'Mailbox' | 'Thread', state: string) => (frame: Frame): boolean => pushedState(frame, accountId, type) === state;

/** The pushState of the newest frame that has one. */
export const pushStateIn = (frames: readonly Frame[]): string => frames.findLast((frame) => typeof frame['pushState'] === 'string')!['pushState'] as string;
