import type { WebSocketSender } from '../../core/aws/api-gateway/web-socket-sender.ts';

/** {@link WebSocketSender} in memory. */
export type MemoryWebSocketSender = WebSocketSender & {
  /** A client connects. */
  open(connectionId: string): void;
  /** A client goes away by itself. */
  leave(connectionId: string): void;
  isOpen(connectionId: string): boolean;
  /** What a client received since it last connected, as texts; it stays readable after the end. */
  received(connectionId: string): readonly string[];
};

/** Bytes of a message at most, as API Gateway's. */
const longest = 128 * 1024;

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
      if (Buffer.byteLength(text) > longest) throw new Error('a message is at most 128 KB');
      if (!open.has(connectionId)) return 'gone';
      inboxes.get(connectionId)!.push(text);
      return 'sent';
    },
    async close(connectionId) {
      open.delete(connectionId);
    },
  };
};
