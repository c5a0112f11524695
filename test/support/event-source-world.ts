import { setTimeout as pause } from 'node:timers/promises';
import { eventSourceWait } from '../../contract/jmap/push.ts';
import { memberLookupIn } from '../../core/directory/principals.ts';
import type { Queue } from '../../core/runtime/queue.ts';
import type { Table } from '../../core/storage/table.ts';
import { notifyBatch } from '../../lambdas/notify/notify-batch.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { memoryWebSocketSender } from '../fakes/memory-web-socket-sender.ts';
import { jmapDeployment } from '../lambdas/jmap/jmap-deployment.ts';
import { streamedTable } from './table-stream.ts';

/** Seconds that a request takes to the Lambda and back, and a change from its commit to the notify Lambda. */
const latency = { request: 0.1, stream: 0.5 } as const;

export type HttpAnswer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly retryAfter: number | undefined;
  /** Whether it followed a redirect. */
  readonly wasRedirected: boolean;
};

/** What a client's requests used: HTTP requests at API Gateway, calls of the jmap Lambda, long polls and messages of SQS. */
export type EventSourceUsage = { httpRequests: number; lambdaCalls: number; queueCalls: number };

/**
 * The event source over fakes, with a clock of its own: the jmap Lambda, API Gateway's long polls of the wait queues, and
 * the notify Lambda, which handles each delivery half a second later. Nothing else takes time.
 * @param watch wraps the tables, to count their use.
 */
export const eventSourceWorld = async (watch: (table: Table) => Table = (table) => table) => {
  const mail = streamedTable(memoryTable());
  const deployment = await jmapDeployment({ mail: watch(mail), directory: watch(memoryTable()) });
  for (const sk of ['alice', 'bob']) await deployment.directory.write([{ put: { pk: 'account-member#acc_alice', sk, role: 'READ' } }]);
  const used: EventSourceUsage = { httpRequests: 0, lambdaCalls: 0, queueCalls: 0 };
  const messages = new Map<string, number>();
  const waitQueue = (url: string): Queue => ({
    async send() {
      used.queueCalls += 1;
      messages.set(url, (messages.get(url) ?? 0) + 1);
    },
  });
  const notify = notifyBatch({
    mail, members: memberLookupIn(deployment.directory), webSocketSender: memoryWebSocketSender(), webPushQueue: memoryQueue(), waitQueue,
    clock: deployment.now, random: () => 0, log: memoryLog(),
  });
  const begun = deployment.now().getTime();
  const now = (): number => (deployment.now().getTime() - begun) / 1000;
  const deliveries: number[] = [];
  const notifications: number[] = [];
  /** The next delivery or notification until this time. */
  const runNext = async (until: number): Promise<boolean> => {
    const at = Math.min(...deliveries, ...notifications);
    if (at > until) return false;
    deployment.later(Math.max(0, at - now()));
    if (notifications[0] === at) {
      notifications.shift();
      await notify({ Records: mail.records.splice(0) });
    } else {
      deliveries.shift();
      await deployment.deliver();
      notifications.push(at + latency.stream);
    }
    return true;
  };
  const wait = async (seconds: number): Promise<void> => {
    const end = now() + seconds;
    while (await runNext(end));
    deployment.later(Math.max(0, end - now()));
  };
  /** A long poll: until the queue has a message, at most 20 seconds. It takes all messages. */
  const longPoll = async (url: string): Promise<void> => {
    used.queueCalls += 1;
    const end = now() + eventSourceWait.seconds;
    while (!messages.has(url) && await runNext(end));
    if (messages.delete(url)) return;
    deployment.later(end - now());
  };
  mail.records.splice(0);
  return {
    ...deployment, used, now, wait,
    /** Delivers a message at this time, in seconds from the beginning. */
    deliverAt: (...times: readonly number[]) => void deliveries.push(...times),
    /** GET /eventsource as a client sends it; follows a redirect unless told not to. */
    async get(query: Record<string, string>, headers: Record<string, string>, follow = true): Promise<HttpAnswer> {
      used.httpRequests += 1;
      used.lambdaCalls += 1;
      await wait(latency.request);
      const response = await deployment.http('GET', '/eventsource', { query, headers, token: null });
      const answer: HttpAnswer = {
        status: response.statusCode!, contentType: String(response.headers?.['content-type']), body: response.body ?? '',
        retryAfter: response.headers?.['retry-after'] === undefined ? undefined : Number(response.headers['retry-after']), wasRedirected: false,
      };
      if (answer.status !== 307 || !follow) return answer;
      used.httpRequests += 1;
      await wait(latency.request);
      await longPoll(new URL(String(response.headers!['location'])).searchParams.get('queue')!);
      // Lets Jest report and time out; no time passes in the simulation.
      await pause(0);
      const body = '{"ReceiveMessageResponse":{"ReceiveMessageResult":{"messages":null}}}';
      return { status: 200, contentType: 'text/event-stream', body, retryAfter: undefined, wasRedirected: true };
    },
  };
};
export type EventSourceWorld = Awaited<ReturnType<typeof eventSourceWorld>>;
