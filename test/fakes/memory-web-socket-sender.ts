import type { WebSocketSender } from '../../core/aws/api-gateway-web-socket-sender.ts';

/** {@link WebSocketSender} in memory. */
export type MemoryWebSocketSender = WebSocketSender & {
  /** Connects a client. */
  open(connectionId: string): void;
  /** Disconnects a client, as if the client had closed the connection. */
  leave(connectionId: string): void;
  isOpen(connectionId: string): boolean;
  /** The messages that a client received since it last connected, even if its connection is closed by now. */
  received(connectionId: string): readonly string[];
};

/** Maximum bytes of a message, as in API Gateway. */
const maxMessageBytes = 128 * 1024;

export const memoryWebSocketSender = (): MemoryWebSocketSender => {
  const open = new Set<string>();
  const inboxes = new Map<string, string[]>();
  return {
    open(connectionId) {
      open.add(connectionId);
      inboxes.set(connectionId, []);
    },
    leave: (connectionId) => void open.delete(connectionId),
    isOpen: (connectionId) => open.has(connectionId),
    received: (connectionId) => inboxes.get(connectionId) ?? [],
    async post(connectionId, text) {
      if (Buffer.byteLength(text) > maxMessageBytes) throw new Error('a message is at most 128 KB');
      if (!open.has(connectionId)) return 'gone';
      inboxes.get(connectionId)!.push(text);
      return 'sent';
    },
    async close(connectionId) {
      open.delete(connectionId);
    },
  };
};
