import { setTimeout as pause } from 'node:timers/promises';
import { eventSourceWait, eventSourceWaitPath } from '../../contract/jmap/push.ts';
import { memberLookupIn } from '../../core/directory/users/principals.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { Table } from '../../core/storage/table.ts';
import { notifyBatch } from '../../lambdas/notify/notify-batch.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { memoryWebSocketSender } from '../fakes/memory-web-socket-sender.ts';
import { jmapDeployment } from '../lambdas/jmap/jmap-deployment.ts';
import { streamedTable } from './table-stream.ts';

/** Seconds between a request and its response, and between a commit and its handling by the notify Lambda. */
const latency = { request: 0.1, stream: 0.5 } as const;

export type HttpAnswer = {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly retryAfter: number | undefined;
  /** The target of a redirect. */
  readonly location: string | undefined;
  /** Whether the response followed a redirect. */
  readonly wasRedirected: boolean;
  /** Whether a message ended the long poll before its time limit; undefined without a long poll. */
  readonly wasWoken: boolean | undefined;
};

/** Billed units of a client: HTTP requests at API Gateway, calls of the jmap Lambda, long polls and messages of SQS. */
export type EventSourceUsage = { httpRequests: number; lambdaCalls: number; queueCalls: number };

/**
 * The event source over fakes, with a simulated clock: the jmap Lambda, API Gateway's long polls of the wait queues,
 * and the notify Lambda, which handles each delivery half a second later. All other work takes no time.
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
    mail,
    members: memberLookupIn(deployment.directory),
    webSocketSender: memoryWebSocketSender(),
    deliveryQueue: memoryQueue(),
    waitQueue,
    clock: deployment.now,
    random: () => 0,
    log: memoryLog(),
  });
  const begun = deployment.now().getTime();
  const now = (): number => (deployment.now().getTime() - begun) / 1000;
  const deliveries: number[] = [];
  const notifications: number[] = [];
  /** Runs the next delivery or notification that is due before `until`. */
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
  /** Receives one message by a long poll of at most 20 seconds. @returns whether there was a message. */
  const longPoll = async (url: string): Promise<boolean> => {
    used.queueCalls += 1;
    const end = now() + eventSourceWait.seconds;
    while (!messages.has(url) && (await runNext(end)));
    const waiting = messages.get(url) ?? 0;
    if (waiting > 1) messages.set(url, waiting - 1);
    else messages.delete(url);
    if (waiting === 0) deployment.later(Math.max(0, end - now()));
    return waiting > 0;
  };
  const ask = async (query: Record<string, string>, headers: Record<string, string>): Promise<HttpAnswer> => {
    used.httpRequests += 1;
    used.lambdaCalls += 1;
    await wait(latency.request);
    const response = await deployment.http('GET', '/eventsource', { query, headers, token: null });
    const text = (name: string): string | undefined => (response.headers?.[name] === undefined ? undefined : String(response.headers[name]));
    return {
      status: response.statusCode!,
      contentType: String(text('content-type')),
      body: response.body ?? '',
      location: text('location'),
      retryAfter: text('retry-after') === undefined ? undefined : Number(text('retry-after')),
      wasRedirected: false,
      wasWoken: undefined,
    };
  };
  /** Follows a redirect to the long poll at API Gateway. */
  const follow = async (location: string): Promise<HttpAnswer> => {
    used.httpRequests += 1;
    await wait(latency.request);
    const queueUrl = deployment.jmap.eventSourceQueueUrls.find((_, number) => location.endsWith(eventSourceWaitPath(number)));
    if (queueUrl === undefined) throw new Error(`no route of API Gateway has the path of ${location}`);
    const wasWoken = await longPoll(queueUrl);
    // Yields to Jest, so that it can report and time out; no simulated time passes.
    await pause(0);
    const body = '{"ReceiveMessageResponse":{"ReceiveMessageResult":{"messages":null}}}';
    return { status: 200, contentType: 'text/event-stream', body, location: undefined, retryAfter: undefined, wasRedirected: true, wasWoken };
  };
  mail.records.splice(0);
  return {
    ...deployment,
    used,
    now,
    wait,
    /** Schedules deliveries at these times, in seconds from the beginning. */
    deliverAt: (...times: readonly number[]) => void deliveries.push(...times),
    follow,
    /** GET /eventsource as a client sends it; follows redirects unless told not to. */
    async get(query: Record<string, string>, headers: Record<string, string>, follows = true): Promise<HttpAnswer> {
      const answer = await ask(query, headers);
      return answer.status === 307 && follows ? follow(answer.location!) : answer;
    },
  };
};
export type EventSourceWorld = Awaited<ReturnType<typeof eventSourceWorld>>;
