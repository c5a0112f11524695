import { randomUUID } from 'node:crypto';
import { mailKeys } from '../../../contract/deployment/keys.ts';
import { webSocketLimits } from '../../../contract/jmap/web-socket.ts';
import { secondsNow, type Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { Table } from '../../../core/storage/table.ts';

/** Number of frames of a principal after which an instance shares its count. Ordinary clients send fewer frames. */
export const framesPerShare = 10;

/** Maximum principals whose frames are counted. The principal with the oldest last frame is dropped first. */
const countedPrincipals = 1000;

/** The frames of a principal in a window: counted by this instance, and by other instances as of the last read. */
type FrameCount = { readonly window: number; frames: number; others: number };

/** A counted frame. `shared` resolves when the counts of all instances are known; it never fails. */
export type CountedFrame = { readonly isWithinLimit: boolean; readonly shared: Promise<void> };
type FrameRateLimit = (principalId: string) => CountedFrame;

/**
 * Counts each principal's frames over all connections, in items that expire:
 * `frames#<principal>`/`<window>#<instance>`.
 */
export const frameRateLimit = (table: Table, clock: Clock, log: Pick<Log, 'warn'>, instance: string = randomUUID()): FrameRateLimit => {
  const counts = new Map<string, FrameCount>();
  const currentCount = (principalId: string): FrameCount => {
    const window = Math.floor(secondsNow(clock) / webSocketLimits.frameWindow);
    const known = counts.get(principalId);
    const count = known?.window === window ? known : { window, frames: 0, others: 0 };
    counts.delete(principalId);
    counts.set(principalId, count);
    if (counts.size > countedPrincipals) counts.delete(counts.keys().next().value!);
    return count;
  };
  const share = async (principalId: string, count: FrameCount): Promise<void> => {
    const own = mailKeys.webSocketFrames(principalId, count.window, instance);
    const expiresAt = (count.window + 2) * webSocketLimits.frameWindow;
    try {
      const [items] = await Promise.all([
        table.query({ pk: own.pk, prefix: mailKeys.webSocketFrames(principalId, count.window, '').sk }),
        table.write([{ put: { ...own, frames: count.frames, expiresAt } }]),
      ]);
      count.others = items.filter(({ sk }) => sk !== own.sk).reduce((sum, item) => sum + Number(item['frames']), 0);
    } catch (error) {
      log.warn('the count of WebSocket frames could not be stored', errorLogFields(error));
    }
  };
  return (principalId) => {
    const count = currentCount(principalId);
    count.frames += 1;
    const isWithinLimit = count.frames + count.others <= webSocketLimits.maxSocketFrames;
    const isShared = isWithinLimit && count.frames % framesPerShare === 0;
    return { isWithinLimit, shared: isShared ? share(principalId, count) : Promise.resolve() };
  };
};
