import type * as z from 'zod';
import type { ErrorLogEntry } from '../../../contract/admin/monitoring.ts';
import type { LogEvent, Logs } from '../../../core/aws/cloudwatch/logs.ts';
import { fewAtOnce } from './few-at-once.ts';
import type { LogGroup } from './log-groups.ts';
import { errorTerms, gatewayErrorTerms, readLogLine, tellsOfError } from './log-line.ts';
import { redacted } from './redaction.ts';

/** AWS lets an account call FilterLogEvents a few times a second; the SDK waits when it is more. */
const searchesAtOnce = 8;

const entryOf = (logGroup: string, { at, message }: LogEvent): z.input<typeof ErrorLogEntry> => {
  const { level, msg, correlation_id, aws_request_id } = readLogLine(message);
  return {
    timestamp: at.toISOString(), log_group: logGroup, level, msg: msg === undefined ? undefined : redacted(msg), correlation_id, aws_request_id, raw: redacted(message),
  };
};

/** The newest errors of all log groups, newest first. */
export const recentErrors = async (logs: Logs, groups: readonly LogGroup[], time: { readonly from: Date; readonly to: Date }, limit: number) => {
  const found = await fewAtOnce(searchesAtOnce, groups, async ({ name, of }) => {
    const events = await logs.search({
      logGroup: name, ...time, order: 'newest', limit, includesAny: of === 'requests' ? gatewayErrorTerms : errorTerms, accept: (message) => tellsOfError(readLogLine(message)),
    });
    return events.map((event) => entryOf(name, event));
  });
  return found.flat().sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0)).slice(0, limit);
};
