import type { Server, Socket } from 'node:net';
import { SandboxError } from './sandbox-error.ts';

/** A listening server. `stop` resolves when all its connections are closed. */
export type RunningServer = { stop(): Promise<void> };

/** Maps EADDRINUSE to an error for the user. */
export const listenError = (port: number, error: NodeJS.ErrnoException): Error =>
  error.code === 'EADDRINUSE' ? new SandboxError(`Port ${port} is taken by another program.`) : error;

/**
 * Listens on 127.0.0.1. `stop` closes open connections, so the caller must wait for its own work first.
 * @throws SandboxError for a port that is taken.
 */
export const listenOnLoopback = async (port: number, server: Server): Promise<RunningServer> => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(port, error)));
    server.listen({ port, host: '127.0.0.1' }, resolve);
  });
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
};
