import { webSocketLimits } from '../../../contract/jmap/web-socket.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

/**
 * Counts a frame of a connection. `over`: the first frame beyond the limit; `ended`: all further ones in the window.
 */
export type FrameRateLimit = (connectionId: string) => 'within' | 'over' | 'ended';

/**
 * Connections whose frames are counted at a time. When there are more, the one without a frame for longest is dropped.
 */
const countedConnections = 1000;

/** Counts the frames that this instance of the Lambda receives; other instances count their own. */
export const frameRateLimit = (clock: Clock): FrameRateLimit => {
  const windows = new Map<string, { readonly since: number; frames: number }>();
  return (connectionId) => {
    const now = clock().getTime();
    const current = windows.get(connectionId);
    const window = current && now - current.since < webSocketLimits.seconds * 1000 ? current : { since: now, frames: 0 };
    window.frames += 1;
    windows.delete(connectionId);
    windows.set(connectionId, window);
    if (windows.size > countedConnections) windows.delete(windows.keys().next().value!);
    if (window.frames <= webSocketLimits.frames) return 'within';
    return window.frames === webSocketLimits.frames + 1 ? 'over' : 'ended';
  };
};
