/** A line of a log. */
export type LogEvent = { readonly at: Date; readonly message: string };

export type LogSearch = {
  readonly logGroup: string;
  /** Both bounds are included. */
  readonly from: Date;
  readonly to: Date;
  /** Case-sensitive texts, all of which a line must contain. */
  readonly includesAll?: readonly string[];
  /** Case-sensitive texts of which a line must contain at least one. */
  readonly includesAny?: readonly string[];
  /** An additional filter that the log service can't apply. */
  readonly accept?: (message: string) => boolean;
  /** The order of the lines, and the end of the time at which the search starts. */
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
};

/** Searches the deployment's logs. Adapter: `cloudwatch-logs.ts`; the fake in `test/fakes/` passes the same suite. */
export type Logs = {
  /**
   * Returns up to `limit` lines; none for an unknown log group. A search through very many lines stops early with the
   * lines that it has.
   */
  search(search: LogSearch): Promise<readonly LogEvent[]>;
};
