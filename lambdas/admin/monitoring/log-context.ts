import type { LogEvent, Logs } from '../../../core/aws/cloudwatch/logs.ts';
import { redacted } from './redaction.ts';

export type ContextRequest = {
  readonly logGroup: string;
  readonly center: Date;
  /** Seconds before and after the moment, together. */
  readonly window: number;
  /** Ids that all must stand in a line. */
  readonly ids: readonly string[];
  readonly limit: number;
};

/** The lines nearest to a moment, oldest first. Both sides are searched from the moment outwards, so that a busy log can't hide it. */
export const logContext = async (logs: Logs, { logGroup, center, window, ids, limit }: ContextRequest) => {
  const reach = (window * 1000) / 2;
  const accept = (message: string) => ids.every((id) => message.includes(id));
  const side = { logGroup, allOf: ids, accept, limit };
  const [before, after] = await Promise.all([
    logs.search({ ...side, from: new Date(center.getTime() - reach), to: new Date(center.getTime() - 1), order: 'newest' }),
    logs.search({ ...side, from: center, to: new Date(center.getTime() + reach), order: 'oldest' }),
  ]);
  const distance = ({ at }: LogEvent) => Math.abs(at.getTime() - center.getTime());
  return [...before.toReversed(), ...after]
    .map((event, index) => ({ event, index }))
    .sort((a, b) => distance(a.event) - distance(b.event) || a.index - b.index)
    .slice(0, limit)
    .sort((a, b) => a.index - b.index)
    .map(({ event: { at, message } }) => ({ timestamp: at.toISOString(), message: redacted(message) }));
};
