import { webSocketSenderSuite } from '../../../port-suites/web-socket-sender-suite.ts';
import { memoryWebSocketSender } from '../../../fakes/memory-web-socket-sender.ts';

describe('sockets in memory', () => {
  webSocketSenderSuite(async () => {
    const sockets = memoryWebSocketSender();
    let count = 0;
    return {
      sockets,
      async connect() {
        const connectionId = `connection-${count++}`;
        sockets.open(connectionId);
        return {
          connectionId,
          received: async (many) => sockets.received(connectionId).slice(0, many),
          closed: async () => expect(sockets.isOpen(connectionId)).toBe(false),
          leave: async () => sockets.leave(connectionId),
        };
      },
    };
  });
});
