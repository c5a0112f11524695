import type { WebSocketSender } from '../../core/aws/api-gateway-web-socket-sender.ts';
import { LambdaCrashed, LostConnection, type Fault, type YieldTurn } from './faulty-table.ts';

/** A simulated Lambda. After its crash, every call of its ports fails. */
export type LambdaProcess = { readonly hasCrashed: () => boolean; readonly crash: () => void };

/**
 * The WebSocket sender of one Lambda, with a fault at each call: the response is lost after or before the effect, or
 * the Lambda crashes before or after it. Faults of tables only (`contended`, `late`) are ignored.
 */
export const faultyWebSocketSender = (sender: WebSocketSender, yieldTurn: YieldTurn, nextFault: () => Fault, process: LambdaProcess): WebSocketSender => {
  const withFault = async <T>(call: () => Promise<T>): Promise<T> => {
    await yieldTurn();
    if (process.hasCrashed()) throw new LambdaCrashed();
    const fault = nextFault();
    if (fault === 'lost before') throw new LostConnection();
    if (fault === 'crash before') {
      process.crash();
      throw new LambdaCrashed();
    }
    const result = await call();
    if (fault === 'lost after') throw new LostConnection();
    if (fault === 'crash after') {
      process.crash();
      throw new LambdaCrashed();
    }
    return result;
  };
  return {
    post: (connectionId, text) => withFault(() => sender.post(connectionId, text)),
    close: (connectionId) => withFault(() => sender.close(connectionId)),
  };
};
