import type * as z from 'zod';
import { monitoring as contract, type ErrorLogEntry } from '../../../contract/admin/monitoring.ts';
import type { MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import type { LogEvent, Logs } from '../../../core/aws/cloudwatch/cloudwatch-logs.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { accessErrorTerms, functionErrorTerms, isErrorLine, parseLogLine, redactLogLine, monitoredLogGroups } from './log-line.ts';

type Dependencies = { readonly resources: MonitoredResources; readonly logs: Logs; readonly clock: Clock };

/**
 * Maximum concurrent searches. AWS allows an account a few FilterLogEvents calls a second; the SDK backs off above
 * that.
 */
const concurrentSearches = 8;

const toErrorLogEntry = (logGroup: string, { at, message }: LogEvent): z.input<typeof ErrorLogEntry> => {
  const { level, msg, correlation_id, aws_request_id } = parseLogLine(message);
  return {
    timestamp: at.toISOString(),
    log_group: logGroup,
    level,
    msg: msg === undefined ? undefined : redactLogLine(msg),
    correlation_id,
    aws_request_id,
    raw: redactLogLine(message),
  };
};

/**
 * Lists the newest errors of all log groups. If a log cannot be read, the call fails, because that log may have errors.
 */
export const listRecentErrors = ({ resources, logs, clock }: Dependencies) => {
  const logGroups = monitoredLogGroups(resources);
  return adminMethod(contract.methods.ListRecentErrors, {
    async run({ lookback_minutes: minutes, limit }) {
      const to = clock();
      const from = new Date(to.getTime() - minutes * 60_000);
      const entries = await mapConcurrently(
        logGroups,
        async ({ name, kind }) => {
          const events = await logs.search({
            logGroup: name,
            from,
            to,
            order: 'newest',
            limit,
            includesAny: kind === 'access' ? accessErrorTerms : functionErrorTerms,
            accept: (message) => isErrorLine(parseLogLine(message)),
          });
          return events.map((event) => toErrorLogEntry(name, event));
        },
        { atOnce: concurrentSearches },
      );
      const newestFirst = entries.flat().sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0));
      return { entries: newestFirst.slice(0, limit) };
    },
  });
};
