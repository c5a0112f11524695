import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocketSender } from '../../core/aws/api-gateway/web-socket-sender.ts';

/** A client's end of a socket. */
export type SocketClient = {
  readonly connectionId: string;
  /** The first messages, once so many are there. */
  received(count: number): Promise<readonly string[]>;
  /** Resolves when the socket was closed by the other side. */
  closed(): Promise<void>;
  /** Ends it from here. */
  leave(): Promise<void>;
};

/** The specification of the port to open WebSockets. @param connect a client connects. */
export const webSocketSenderSuite = (start: () => Promise<{ sockets: WebSocketSender; connect: () => Promise<SocketClient> }>): void => {
  test('messages reach the one they are for, whole and in order', async () => {
    const { sockets, connect } = await start();
    const [one, other] = [await connect(), await connect()];
    for (const text of ['first', '{"é":"\u{1f4ee}"}', 'third']) expect(await sockets.post(one.connectionId, text)).toBe('sent');
    expect(await sockets.post(other.connectionId, 'for the other')).toBe('sent');
    expect(await one.received(3)).toEqual(['first', '{"é":"\u{1f4ee}"}', 'third']);
    expect(await other.received(1)).toEqual(['for the other']);
  });

  test('128 KB are a message, more is refused', async () => {
    const { sockets, connect } = await start();
    const client = await connect();
    expect(await sockets.post(client.connectionId, 'x'.repeat(128 * 1024))).toBe('sent');
    await expect(sockets.post(client.connectionId, 'x'.repeat(128 * 1024 + 1))).rejects.toThrow();
    expect(await client.received(1)).toEqual(['x'.repeat(128 * 1024)]);
  });

  test('a client that left is soon gone, and one that never was is', async () => {
    const { sockets, connect } = await start();
    const client = await connect();
    await client.leave();
    let outcome = await sockets.post(client.connectionId, 'late');
    for (let waited = 0; outcome === 'sent' && waited < 5_000; waited += 100) {
      await pause(100);
      outcome = await sockets.post(client.connectionId, 'late');
    }
    expect(outcome).toBe('gone');
    expect(await sockets.post('0123456789abcdef', 'nobody')).toBe('gone');
  });

  test('closing ends a socket, after what was sent before, and closing what is closed is fine', async () => {
    const { sockets, connect } = await start();
    const client = await connect();
    await sockets.post(client.connectionId, 'last words');
    await sockets.close(client.connectionId);
    await client.closed();
    expect(await client.received(1)).toEqual(['last words']);
    expect(await sockets.post(client.connectionId, 'late')).toBe('gone');
    await sockets.close(client.connectionId);
    await sockets.close('0123456789abcdef');
  });
};
