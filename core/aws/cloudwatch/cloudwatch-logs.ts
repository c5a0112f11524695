import { CloudWatchLogsClient, FilterLogEventsCommand, ResourceNotFoundException, type FilterLogEventsCommandOutput } from '@aws-sdk/client-cloudwatch-logs';
import type { LogEvent, Logs, LogSearch } from './logs.ts';
import { clientTimeouts } from '../client-timeouts.ts';

/** How many answers a search reads: enough for any hour of ours, and an end for one that finds little in very much. */
const maxPages = 8;
const pageSize = 1_000;

/** FilterLogEvents reads from the newest line for times since then only. Nothing of ours is that old: logs are kept for a month. */
const earliest = Date.UTC(2024, 0, 1);

const quoted = (term: string): string => `"${term.replace(/["\\]/g, '\\$&')}"`;

const patternOf = ({ includesAll = [], includesAny = [] }: LogSearch): string | undefined =>
  [...includesAll.map(quoted), ...includesAny.map((term) => `?${quoted(term)}`)].join(' ') || undefined;

const eventsOf = ({ events = [] }: FilterLogEventsCommandOutput, accept: LogSearch['accept']): LogEvent[] =>
  events.map(({ timestamp, message }) => ({ at: new Date(timestamp ?? 0), message: (message ?? '').trimEnd() }))
    .filter(({ message }) => accept?.(message) ?? true);

const inOrder = (events: readonly LogEvent[], { order, limit }: LogSearch): LogEvent[] =>
  events.toSorted((a, b) => (order === 'newest' ? b.at.getTime() - a.at.getTime() : a.at.getTime() - b.at.getTime())).slice(0, limit);

/** CloudWatch Logs. AWS matches terms word by word, so `accept` decides again where that matters. */
export const cloudWatchLogs = (client = new CloudWatchLogsClient(clientTimeouts)): Logs => ({
  async search(search) {
    const { logGroup, from, to, order, limit, accept } = search;
    if (to.getTime() < earliest || from > to) return [];
    const found: LogEvent[] = [];
    let next: string | undefined;
    try {
      for (let page = 0; page < maxPages && found.length < limit && (page === 0 || next); page++) {
        const answer = await client.send(new FilterLogEventsCommand({
          logGroupName: logGroup, startTime: Math.max(from.getTime(), earliest), endTime: to.getTime(),
          filterPattern: patternOf(search), startFromHead: order === 'oldest', limit: pageSize, nextToken: next,
        }));
        found.push(...eventsOf(answer, accept));
        next = answer.nextToken;
      }
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return [];
      throw error;
    }
    return inOrder(found, search);
  },
});
