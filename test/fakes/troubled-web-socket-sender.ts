import type { WebSocketSender } from '../../core/aws/api-gateway/web-socket-sender.ts';
import { Died, LostConnection, type Trouble, type Yield } from './troubled-table.ts';

/** What ends a Lambda for all its ports at once. */
export type Life = { readonly isOver: () => boolean; readonly end: () => void };

/**
 * One Lambda's way to open sockets, with trouble at every call: no answer although it happened, no answer and nothing happened, the Lambda dies just before or
 * just after. What befalls tables alone (`contended`, `late`) is nothing here.
 */
export const troubledWebSocketSender = (sockets: WebSocketSender, yieldTurn: Yield, trouble: () => Trouble, life: Life): WebSocketSender => {
  const befallen = async <T>(act: () => Promise<T>): Promise<T> => {
    await yieldTurn();
    if (life.isOver()) throw new Died();
    const befalls = trouble();
    if (befalls === 'lost before') throw new LostConnection();
    if (befalls === 'dies before') {
      life.end();
      throw new Died();
    }
    const done = await act();
    if (befalls === 'lost after') throw new LostConnection();
    if (befalls === 'dies after') {
      life.end();
      throw new Died();
    }
    return done;
  };
  return {
    post: (connectionId, text) => befallen(() => sockets.post(connectionId, text)),
    close: (connectionId) => befallen(() => sockets.close(connectionId)),
  };
};
