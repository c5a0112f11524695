import { memoryWebSocketSender } from '../../fakes/memory-web-socket-sender.ts';
import { webSocketSenderSuite } from '../../port-suites/web-socket-sender-suite.ts';

describe('the WebSocket sender in memory', () => {
  webSocketSenderSuite(async () => {
    const sender = memoryWebSocketSender();
    let count = 0;
    return {
      sender,
      async connect() {
        const connectionId = `connection-${count++}`;
        sender.open(connectionId);
        return {
          connectionId,
          received: async (count) => sender.received(connectionId).slice(0, count),
          closed: async () => expect(sender.isOpen(connectionId)).toBe(false),
          leave: async () => sender.leave(connectionId),
        };
      },
    };
  });
});
