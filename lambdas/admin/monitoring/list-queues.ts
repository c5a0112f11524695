import type * as z from 'zod';
import { monitoring as contract, type QueueState } from '../../../contract/admin/monitoring.ts';
import { deadLetterQueues } from '../../../contract/deployment/dead-letters.ts';
import { isDeadLetterQueue, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { waitingMail } from '../../../contract/deployment/waiting-mail.ts';
import type { Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { readWaitingMail, type WaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';
import { readQueueStates } from '../../../core/aws/queue-states.ts';
import type { QueueDepths } from '../../../core/aws/sqs-queue-depths.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Dependencies = { readonly resources: MonitoredResources; readonly queueDepths: QueueDepths; readonly metrics: Metrics; readonly clock: Clock };

/** A time some seconds ago; undefined for no seconds. */
const secondsAgo = (seconds: number, now: Date): string | undefined => (seconds > 0 ? new Date(now.getTime() - seconds * 1000).toISOString() : undefined);

const fullAccounts = ({ messages, oldestSeconds }: WaitingMail, now: Date): z.input<typeof QueueState> => ({
  name: waitingMail.name,
  waiting: 0,
  in_progress: 0,
  delayed: messages,
  oldest_at: secondsAgo(oldestSeconds, now),
  dead_letters: 0,
});

export const listQueues = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListQueues, {
    async run() {
      const { resources, metrics, clock } = dependencies;
      const now = clock();
      const [states, waiting] = await Promise.all([readQueueStates(dependencies), readWaitingMail(metrics, resources, now)]);
      const deadOf = (place: string): number => {
        const { visible = 0, inFlight = 0 } = states.get(isDeadLetterQueue(place) ? place : `${place}/DeadLetters`) ?? {};
        return visible + inFlight;
      };
      const queues = [...states].filter(([place]) => !place.endsWith('/DeadLetters'));
      return {
        queues: [
          ...queues.map(([name, { visible, inFlight, delayed, oldestSeconds }]) => ({
            name,
            ...(isDeadLetterQueue(name) ? { waiting: 0, in_progress: 0, delayed: 0 } : { waiting: visible, in_progress: inFlight, delayed }),
            oldest_at: secondsAgo(oldestSeconds, now),
            dead_letters: deadOf(name),
            actions: [...(deadLetterQueues[name]?.actions ?? [])],
          })),
          fullAccounts(waiting, now),
        ],
      };
    },
  });
