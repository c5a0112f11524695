import { sendingKeys } from '../../../contract/deployment/keys.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import { contentOf, type Table } from '../../storage/table.ts';

/** A period in which SES is not called, because it throttled all mail, paused the account or could not be reached. */
export type ProviderPause = {
  /** End of the pause: RFC 3339 in UTC with milliseconds. */
  readonly until: string;
  /** The length of the pause in milliseconds. */
  readonly length: number;
};

/** The pause of sending, which all submit Lambdas share: `provider`/`pause` in the sending table. */
export type ProviderPauses = {
  find(): Promise<ProviderPause | undefined>;
  /** Begins a pause, twice as long as the previous one, if that is known. */
  begin(known: ProviderPause | undefined, now: Date): Promise<ProviderPause>;
  /** Ends the sequence of pauses, after SES accepted mail. */
  end(known: ProviderPause): Promise<void>;
};

const key = sendingKeys.pause;
const firstLength = 15_000;
const maxLength = 10 * 60_000;
/** Milliseconds after the end of a pause within which the next pause continues the sequence. */
const sequenceEnd = 3_600_000;

export const providerPausesIn = (table: Table): ProviderPauses => {
  const find = async (): Promise<ProviderPause | undefined> => {
    const item = await table.get(key);
    return item && contentOf<ProviderPause>(item);
  };
  return {
    find,
    async begin(known, now) {
      const continues = known && now.getTime() - Date.parse(known.until) < sequenceEnd;
      const length = continues ? Math.min(maxLength, 2 * known.length) : firstLength;
      const pause = { until: new Date(now.getTime() + length).toISOString(), length };
      // When several Lambdas are throttled at the same time, the first one begins the pause.
      const unchanged = known ? { equals: { until: known.until } } : ({ absent: true } as const);
      const begun = await tryWrite(table, [{ put: { ...key, ...pause }, if: unchanged }]);
      return begun ? pause : ((await find()) ?? pause);
    },
    async end({ until }) {
      await tryWrite(table, [{ delete: key, if: { equals: { until } } }]);
    },
  };
};
