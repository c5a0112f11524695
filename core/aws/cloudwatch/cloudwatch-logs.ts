import { CloudWatchLogsClient, FilterLogEventsCommand, ResourceNotFoundException, type FilterLogEventsCommandOutput } from '@aws-sdk/client-cloudwatch-logs';
import { namingErrors, clientTimeouts } from '../../runtime/sdk-client.ts';

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

/** Searches the deployment's logs. The fake in `test/fakes/` passes the same suite. */
export type Logs = {
  /** Returns up to `limit` lines, and none for an unknown log group. A search through very many lines stops early. */
  search(search: LogSearch): Promise<readonly LogEvent[]>;
};

/** Maximum pages that a search reads: enough for one hour of the deployment's logs. */
const maxPages = 8;
const pageSize = 1_000;

/**
 * The earliest time for which FilterLogEvents can read the newest lines first. The deployment's logs are newer, because
 * they are kept for a month.
 */
const earliest = Date.UTC(2024, 0, 1);

const quote = (term: string): string => `"${term.replace(/["\\]/g, '\\$&')}"`;

const filterPattern = ({ includesAll = [], includesAny = [] }: LogSearch): string | undefined =>
  [...includesAll.map(quote), ...includesAny.map((term) => `?${quote(term)}`)].join(' ') || undefined;

const acceptedEvents = ({ events = [] }: FilterLogEventsCommandOutput, accept: LogSearch['accept']): LogEvent[] =>
  events
    .map(({ timestamp, message }) => ({ at: new Date(timestamp ?? 0), message: (message ?? '').trimEnd() }))
    .filter(({ message }) => accept?.(message) ?? true);

const sortAndLimit = (events: readonly LogEvent[], { order, limit }: LogSearch): LogEvent[] =>
  events.toSorted((a, b) => (order === 'newest' ? b.at.getTime() - a.at.getTime() : a.at.getTime() - b.at.getTime())).slice(0, limit);

/**
 * {@link Logs} in CloudWatch Logs, which matches terms word by word. Pass `accept` for a stricter check of each line.
 */
export const cloudWatchLogs = (client = namingErrors(new CloudWatchLogsClient(clientTimeouts))): Logs => ({
  async search(search) {
    const { logGroup, from, to, order, limit, accept } = search;
    if (to.getTime() < earliest || from > to) return [];
    const events: LogEvent[] = [];
    let nextToken: string | undefined;
    try {
      for (let page = 0; page < maxPages && events.length < limit && (page === 0 || nextToken); page++) {
        const answer = await client.send(
          new FilterLogEventsCommand({
            logGroupName: logGroup,
            startTime: Math.max(from.getTime(), earliest),
            endTime: to.getTime(),
            filterPattern: filterPattern(search),
            startFromHead: order === 'oldest',
            limit: pageSize,
            nextToken,
          }),
        );
        events.push(...acceptedEvents(answer, accept));
        nextToken = answer.nextToken;
      }
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return [];
      throw error;
    }
    return sortAndLimit(events, search);
  },
});
