import type * as z from 'zod';
import { monitoring as contract, type LogLine } from '../../../contract/admin/monitoring.ts';
import type { MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import type { LogEvent, Logs } from '../../../core/aws/cloudwatch/cloudwatch-logs.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { redactLogLine, monitoredLogGroups } from './log-line.ts';

type LogContextRequest = {
  readonly logGroup: string;
  readonly center: Date;
  /** Length of the window in seconds. */
  readonly window: number;
  /** Ids that a line must contain, all of them. */
  readonly ids: readonly string[];
  readonly limit: number;
};

/** Reads the lines closest to `center`, oldest first, by two searches from `center` in opposite directions. */
const readLogContext = async (logs: Logs, { logGroup, center, window, ids, limit }: LogContextRequest): Promise<z.input<typeof LogLine>[]> => {
  const reach = (window * 1000) / 2;
  const search = { logGroup, includesAll: ids, accept: (message: string) => ids.every((id) => message.includes(id)), limit };
  const [before, after] = await Promise.all([
    logs.search({ ...search, from: new Date(center.getTime() - reach), to: new Date(center.getTime() - 1), order: 'newest' }),
    logs.search({ ...search, from: center, to: new Date(center.getTime() + reach), order: 'oldest' }),
  ]);
  const distance = ({ at }: LogEvent) => Math.abs(at.getTime() - center.getTime());
  return [...before.toReversed(), ...after]
    .map((event, index) => ({ event, index }))
    .sort((a, b) => distance(a.event) - distance(b.event) || a.index - b.index)
    .slice(0, limit)
    .sort((a, b) => a.index - b.index)
    .map(({ event: { at, message } }) => ({ timestamp: at.toISOString(), message: redactLogLine(message) }));
};

export const getLogContext = ({ resources, logs }: { readonly resources: MonitoredResources; readonly logs: Logs }) => {
  const logGroups = new Set(monitoredLogGroups(resources).map(({ name }) => name));
  return adminMethod(contract.methods.GetLogContext, {
    async run({ log_group: logGroup, center_timestamp: center, window_seconds: window, correlation_id, aws_request_id, limit }) {
      if (!logGroups.has(logGroup)) throw new RpcError('invalid_argument', 'log_group: must be a log group of this deployment');
      const ids = [correlation_id, aws_request_id].filter((id) => id !== undefined);
      return { lines: await readLogContext(logs, { logGroup, center: new Date(center), window, ids, limit }) };
    },
  });
};
