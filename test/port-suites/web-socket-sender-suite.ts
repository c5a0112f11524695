import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocketSender } from '../../core/aws/api-gateway-web-socket-sender.ts';

/** The client of a WebSocket connection. */
export type SocketClient = {
  readonly connectionId: string;
  /** Waits for this many messages, and returns them. */
  received(count: number): Promise<readonly string[]>;
  /** Resolves when the server has closed the connection. */
  closed(): Promise<void>;
  /** Closes the connection. */
  leave(): Promise<void>;
};

/** The specification of {@link WebSocketSender}. `connect` connects a client. */
export const webSocketSenderSuite = (start: () => Promise<{ sender: WebSocketSender; connect: () => Promise<SocketClient> }>): void => {
  test('post delivers messages to the right client, unchanged and in order', async () => {
    const { sender, connect } = await start();
    const [one, other] = [await connect(), await connect()];
    for (const text of ['first', '{"é":"\u{1f4ee}"}', 'third']) expect(await sender.post(one.connectionId, text)).toBe('sent');
    expect(await sender.post(other.connectionId, 'for the other')).toBe('sent');
    expect(await one.received(3)).toEqual(['first', '{"é":"\u{1f4ee}"}', 'third']);
    expect(await other.received(1)).toEqual(['for the other']);
  });

  test('post accepts 128 KB, and refuses a longer message', async () => {
    const { sender, connect } = await start();
    const client = await connect();
    expect(await sender.post(client.connectionId, 'x'.repeat(128 * 1024))).toBe('sent');
    await expect(sender.post(client.connectionId, 'x'.repeat(128 * 1024 + 1))).rejects.toThrow();
    expect(await client.received(1)).toEqual(['x'.repeat(128 * 1024)]);
  });

  test('post returns gone for a client that has left, and for an unknown connection', async () => {
    const { sender, connect } = await start();
    const client = await connect();
    await client.leave();
    let outcome = await sender.post(client.connectionId, 'late');
    for (let waited = 0; outcome === 'sent' && waited < 5_000; waited += 100) {
      await pause(100);
      outcome = await sender.post(client.connectionId, 'late');
    }
    expect(outcome).toBe('gone');
    expect(await sender.post('0123456789abcdef', 'text')).toBe('gone');
  });

  test('close closes a connection after the messages that were sent before; closing it again is no error', async () => {
    const { sender, connect } = await start();
    const client = await connect();
    await sender.post(client.connectionId, 'last words');
    await sender.close(client.connectionId);
    await client.closed();
    expect(await client.received(1)).toEqual(['last words']);
    expect(await sender.post(client.connectionId, 'late')).toBe('gone');
    await sender.close(client.connectionId);
    await sender.close('0123456789abcdef');
  });
};
