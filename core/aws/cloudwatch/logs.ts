/** A line of a log. */
export type LogEvent = { readonly at: Date; readonly message: string };

export type LogSearch = {
  readonly logGroup: string;
  /** Start of the period. Both bounds are inclusive. */
  readonly from: Date;
  readonly to: Date;
  /** Case-sensitive texts, all of which a line must contain. */
  readonly includesAll?: readonly string[];
  /** Case-sensitive texts of which a line must contain at least one. */
  readonly includesAny?: readonly string[];
  /** An additional filter, which the log service can't apply. */
  readonly accept?: (message: string) => boolean;
  /** The order of the lines. The search starts at the oldest or the newest line. */
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
};

/** Searches the deployment's logs. Adapter: `cloudwatch-logs.ts`; the fake in `test/fakes/` passes the same suite. */
export type Logs = {
  /** Returns up to `limit` lines, and none for an unknown log group. A search through very many lines stops early. */
  search(search: LogSearch): Promise<readonly LogEvent[]>;
};
