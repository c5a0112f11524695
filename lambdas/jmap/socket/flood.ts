import { socketLimits } from '../../../contract/jmap/web-socket.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

/** Counts the frames of each connection that this Lambda sees; `over` the first time that there are too many, `ended` after that. */
export type FloodGuard = (connectionId: string) => 'within' | 'over' | 'ended';

/** Connections that are counted at a time; the one that was counted longest is forgotten for another. */
const counted = 1000;

export const floodGuard = (now: Clock): FloodGuard => {
  const windows = new Map<string, { readonly since: number; frames: number }>();
  return (connectionId) => {
    const at = now().getTime();
    const known = windows.get(connectionId);
    const window = known && at - known.since < socketLimits.seconds * 1000 ? known : { since: at, frames: 0 };
    window.frames += 1;
    windows.delete(connectionId);
    windows.set(connectionId, window);
    if (windows.size > counted) windows.delete(windows.keys().next().value!);
    if (window.frames <= socketLimits.frames) return 'within';
    return window.frames === socketLimits.frames + 1 ? 'over' : 'ended';
  };
};
