import type { RequestErrorFrame } from '../../contract/jmap/web-socket.ts';
import type { Sockets } from '../../core/aws/api-gateway/sockets.ts';
import { removeConnection } from '../../core/push/connections.ts';
import { socketKey, type Socket } from '../../core/push/socket.ts';
import { raiseTold } from '../../core/push/told.ts';
import type { Table } from '../../core/storage/table.ts';
import type { Telling } from './frames.ts';

export type Reach = { readonly mail: Table; readonly sockets: Sockets };

const reasons = {
  401: 'The access token has ended: connect again with a new one.',
  403: 'The user may not use this service any more.',
} as const;

/** Why a socket is closed by the server: its time is over, or its user is not active any more. */
export type Reason = keyof typeof reasons;

const refusalFrame = (status: Reason): string =>
  JSON.stringify({ '@type': 'RequestError', requestId: null, type: 'about:blank', status, detail: reasons[status] } satisfies RequestErrorFrame);

/** Says why, if the client still listens, and closes. */
export const closeWith = async ({ sockets }: Pick<Reach, 'sockets'>, connectionId: string, reason: Reason): Promise<void> => {
  const outcome = await sockets.post(connectionId, refusalFrame(reason)).catch(() => 'lost' as const);
  if (outcome !== 'gone') await sockets.close(connectionId);
};

/** Closes a socket that nothing may be sent to any more, and forgets it. */
export const dismiss = async (reach: Reach, socket: Socket, reason: Reason): Promise<void> => {
  await closeWith(reach, socket.connectionId, reason);
  await removeConnection(reach.mail, socket);
};

/** Sends the frames in order. 'lost' is a client that might have missed one. */
const send = async (sockets: Sockets, { connectionId }: Socket, frames: readonly string[]): Promise<'sent' | 'gone' | 'lost'> => {
  for (const frame of frames) {
    const outcome = await sockets.post(connectionId, frame).catch(() => 'lost' as const);
    if (outcome !== 'sent') return outcome;
  }
  return 'sent';
};

/**
 * Tells a socket, and remembers what it was told. A client that can't be reached has its socket closed: it connects again with the pushState that it has, and is told
 * then what it missed.
 * @throws Error when nobody knows what the client got and its socket could not be closed either.
 */
export const tellSocket = async ({ mail, sockets }: Reach, socket: Socket, { frames, told }: Telling): Promise<'sent' | 'gone' | 'lost'> => {
  const outcome = await send(sockets, socket, frames);
  if (outcome === 'sent') {
    await raiseTold(mail, socketKey(socket), Object.fromEntries(told));
    return outcome;
  }
  if (outcome === 'lost') await sockets.close(socket.connectionId);
  await removeConnection(mail, socket);
  return outcome;
};
