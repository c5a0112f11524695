import type { LogEvent, Logs, LogSearch } from '../../core/aws/cloudwatch/cloudwatch-logs.ts';

/** {@link Logs} in memory. */
export const memoryLogs = () => {
  const groups = new Map<string, LogEvent[]>();
  const searches: LogSearch[] = [];
  let searching = 0;
  let mostAtOnce = 0;
  const search: Logs['search'] = async (request) => {
    searches.push(request);
    mostAtOnce = Math.max(mostAtOnce, ++searching);
    await new Promise((resolve) => setImmediate(resolve));
    searching--;
    const { logGroup, from, to, includesAll = [], includesAny = [], accept, order, limit } = request;
    const found = (groups.get(logGroup) ?? []).filter(
      ({ at, message }) =>
        at >= from &&
        at <= to &&
        includesAll.every((term) => message.includes(term)) &&
        (includesAny.length === 0 || includesAny.some((term) => message.includes(term))) &&
        (accept?.(message) ?? true),
    );
    const ordered = found.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    return (order === 'newest' ? ordered.toReversed() : ordered).slice(0, limit);
  };
  return {
    search,
    searches,
    mostAtOnce: () => mostAtOnce,
    write: async (logGroup: string, events: readonly LogEvent[]): Promise<void> => {
      groups.set(logGroup, [...(groups.get(logGroup) ?? []), ...events]);
    },
  };
};
