import { randomInt } from 'node:crypto';
import { mailKeys } from '../../contract/deployment/keys.ts';
import { downloadLimits, downloadSeconds } from '../../contract/jmap/blob.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { StreamedResponse } from '../../core/runtime/http/http.ts';
import type { Log } from '../../core/runtime/log.ts';
import { WriteRefused, type Item, type Key, type Table } from '../../core/storage/table.ts';

/** A slot for one download. `release` frees it and never fails: a slot that cannot be freed ends with the download's time. */
type DownloadSlot = Required<Pick<StreamedResponse, 'endsBy' | 'release'>>;

export type DownloadSlots = {
  /** Takes a slot of a principal for a download of so many octets. @returns undefined when all are taken. */
  take(principalId: string, octets: number): Promise<DownloadSlot | undefined>;
};

/** The attributes of the item. Each has the time at which the download in this slot ends at the latest. */
const slots: readonly string[] = Array.from({ length: downloadLimits.atOnce }, (_, index) => `slot${index}`);

/** Seconds after which an item expires that no further download renews. It is longer than any download. */
const lifetime = 3600;

/** Maximum writes for a slot. Each one that is refused has lost a race with a download that got a slot. */
const maxAttempts = 2 * slots.length;

/**
 * The slots of each principal, over all instances: `downloads#<principal>`/`slots`. The first write goes to any slot
 * without a read, because mostly all are free.
 */
export const downloadSlots = (table: Table, clock: Clock, log: Pick<Log, 'warn'>): DownloadSlots => {
  const free = async (key: Key, slot: string, endsBy: number): Promise<void> => {
    try {
      await table.write([{ update: key, remove: [slot], if: { equals: { [slot]: endsBy } } }]);
    } catch (error) {
      if (!(error instanceof WriteRefused)) log.warn('the slot of a download could not be freed', errorLogFields(error));
    }
  };
  return {
    async take(principalId, octets) {
      const now = clock().getTime();
      const endsBy = now + downloadSeconds(octets) * 1000;
      if (octets < downloadLimits.countedOctets) return { endsBy, release: async () => undefined };
      const key = mailKeys.downloads(principalId);
      const expiresAt = secondsNow(clock) + lifetime;
      let item: Item | undefined;
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const open = slots.filter((slot) => Number(item?.[slot] ?? 0) < now);
        if (open.length === 0) return undefined;
        const slot = open[randomInt(open.length)]!;
        try {
          await table.write([{ update: key, set: { [slot]: endsBy, expiresAt }, if: [{ lacks: slot }, { below: { [slot]: now } }] }]);
          return { endsBy, release: () => free(key, slot, endsBy) };
        } catch (error) {
          if (!(error instanceof WriteRefused)) throw error;
          item = await table.get(key);
        }
      }
      return undefined;
    },
  };
};
