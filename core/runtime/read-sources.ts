import { errorLogFields } from './error-log-fields.ts';
import type { Log } from './log.ts';

type Readers = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Reads sources at the same time. The value of a source that fails is undefined; the failure is logged.
 * @param reader what reads, for the log.
 */
export const readSources = async <Named extends Readers>(readers: Named, reader: string, log: Log) => {
  const failed: string[] = [];
  const entries = await Promise.all(
    Object.entries(readers).map(async ([source, read]) => {
      try {
        return [source, await read()] as const;
      } catch (error) {
        failed.push(source);
        log.warn(`a source of the ${reader} failed`, { source, ...errorLogFields(error) });
        return [source, undefined] as const;
      }
    }),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries() has no type of the names
  return { values: Object.fromEntries(entries) as { readonly [Name in keyof Named]: Awaited<ReturnType<Named[Name]>> | undefined }, failed };
};
