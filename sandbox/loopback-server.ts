import type { Server, Socket } from 'node:net';
import { SandboxError } from './sandbox-error.ts';

/** What listens and can be asked to stop; stopping waits until nothing of it is left. */
export type Listening = { stop(): Promise<void> };

/** Why it can't listen, in words when the reason is another program. */
export const listeningError = (port: number, error: NodeJS.ErrnoException): Error =>
  (error.code === 'EADDRINUSE' ? new SandboxError(`Port ${port} is taken.`) : error);

/**
 * Listens on 127.0.0.1. Stopping cuts the connections that are still open: whoever started the server waits for its own work first.
 * @throws SandboxError for a port that is taken.
 */
export const listenOn = async (port: number, server: Server): Promise<Listening> => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listeningError(port, error)));
    server.listen({ port, host: '127.0.0.1' }, resolve);
  });
  return {
    stop: () => new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    }),
  };
};
