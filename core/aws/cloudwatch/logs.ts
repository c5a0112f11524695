/** A line of a log. */
export type LogEvent = { readonly at: Date; readonly message: string };

export type LogSearch = {
  readonly logGroup: string;
  /** Both moments are part of the time that is searched. */
  readonly from: Date;
  readonly to: Date;
  /** Texts that the log's keeper looks for, case-sensitive: all of them are in a line. */
  readonly includesAll?: readonly string[];
  /** … and at least one of these. */
  readonly includesAny?: readonly string[];
  /** What the keeper can't decide for us. */
  readonly accept?: (message: string) => boolean;
  /** Which end of the time the search begins at; the lines that are found come in that order. */
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
};

/** The deployment's logs. Adapter: `cloudwatch-logs.ts`; the fake in `test/fakes/` passes the same suite. */
export type Logs = {
  /** Up to `limit` lines. None where there is no such log group. A search through very many lines ends early with what it found. */
  search(search: LogSearch): Promise<readonly LogEvent[]>;
};
