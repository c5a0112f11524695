import { socketsSuite } from '../../../port-suites/sockets-suite.ts';
import { memorySockets } from '../../../fakes/memory-sockets.ts';

describe('sockets in memory', () => {
  socketsSuite(async () => {
    const sockets = memorySockets();
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
