import type { WebSocketSender } from '../../core/aws/api-gateway/web-socket-sender.ts';
import { Died, LostConnection, type Trouble, type Yield } from './troubled-table.ts';

/** The life of a Lambda: all its ports end with it. */
export type Life = { readonly isOver: () => boolean; readonly end: () => void };

/**
 * The WebSocket sender of one Lambda, with a fault at each call: the response is lost after or before the effect, or the
 * Lambda dies just before or just after it. Faults of tables only (`contended`, `late`) are ignored.
 */
export const faultyWebSocketSender = (sender: WebSocketSender, yieldTurn: Yield, nextFault: () => Trouble, life: Life): WebSocketSender => {
  const withFault = async <T>(call: () => Promise<T>): Promise<T> => {
    await yieldTurn();
    if (life.isOver()) throw new Died();
    const fault = nextFault();
    if (fault === 'lost before') throw new LostConnection();
    if (fault === 'dies before') {
      life.end();
      throw new Died();
    }
    const result = await call();
    if (fault === 'lost after') throw new LostConnection();
    if (fault === 'dies after') {
      life.end();
      throw new Died();
    }
    return result;
  };
  return {
    post: (connectionId, text) => withFault(() => sender.post(connectionId, text)),
    close: (connectionId) => withFault(() => sender.close(connectionId)),
  };
};
