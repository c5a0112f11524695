import { mailKeys } from '../../contract/deployment/keys.ts';
import { unadvertisedLimits } from '../../contract/jmap/core.ts';
import type { QuotaAmounts } from '../../contract/jmap/quota.ts';
import { decodeHead, emptyHead } from '../account-log/head.ts';
import { headKey, isHeadKey } from '../account-log/keys.ts';
import { quotaOfHead } from '../mail/quota/account-quota.ts';
import { secondsNow, utcDayOf, type Clock } from '../runtime/clock.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import type { Table } from '../storage/table.ts';

/** The octets that were uploaded to an account today, and the maximum of a day. */
export type UploadUse = { readonly used: number; readonly limit: number };

/**
 * Counts the octets of uploads and of blobs that Blob/upload and Blob/copy create. The item `<account>#uploads`/yyyy-mm-dd
 * has those of a day (UTC). It expires when the uploads of the day have expired.
 */
export type UploadedOctets = {
  /** Reads the use of an account, in one BatchGet. */
  read(accountId: string): Promise<UploadUse>;
  /**
   * Adds octets. It may be called while the octets are stored: the next call then sees them.
   * @returns false if they exceed the limit together with the octets that other calls have added. Nothing is added then.
   */
  add(accountId: string, octets: number, limit: number): Promise<boolean>;
};

/** Seconds for which a count is kept: a day, and the two days for which an upload of its last second is kept. */
const keptSeconds = 4 * 86_400;

export const uploadedOctetsIn = (table: Table, quotaDefaults: QuotaAmounts, clock: Clock): UploadedOctets => {
  const dayKey = (accountId: string) => mailKeys.uploads(accountId, utcDayOf(clock().toISOString()));
  return {
    async read(accountId) {
      const items = await table.batchGet([headKey(accountId), dayKey(accountId)]);
      const [head, day] = [items.find(isHeadKey), items.find((item) => !isHeadKey(item))];
      const {
        octets: { hardLimit },
      } = quotaOfHead(head ? decodeHead(head) : emptyHead, quotaDefaults);
      return { used: Number(day?.['octets'] ?? 0), limit: Math.max(hardLimit, unadvertisedLimits.maxSizeUploadsPerDay) };
    },
    add: async (accountId, octets, limit) =>
      octets <= limit &&
      tryWrite(table, [
        {
          update: dayKey(accountId),
          add: { octets },
          set: { expiresAt: secondsNow(clock) + keptSeconds },
          if: [{ lacks: 'octets' }, { below: { octets: limit - octets + 1 } }],
        },
      ]),
  };
};

/** The room that a request has for uploads to one account. */
export class UploadRoom {
  #left: number;
  readonly limit: number;
  readonly #add: (octets: number) => Promise<boolean>;

  /** @param add counts octets, if they are within the limit. */
  constructor({ used, limit }: UploadUse, add: (octets: number) => Promise<boolean>) {
    this.limit = limit;
    this.#left = limit - used;
    this.#add = add;
  }

  /** Takes room for octets. @returns false when there is not enough. */
  take(octets: number): boolean {
    if (octets > this.#left) return false;
    this.#left -= octets;
    return true;
  }

  /**
   * Counts octets for which there was room. It may be called while they are stored.
   * @returns false if other requests have taken the room.
   */
  async count(octets: number): Promise<boolean> {
    return octets === 0 || this.#add(octets);
  }
}

/** The description of the refusal of an upload. */
export const uploadsExceeded = (limit: number): string =>
  `At most ${limit} octets may be uploaded to the account in a day (maxSizeUploadsPerDay). Try again tomorrow (UTC).`;
