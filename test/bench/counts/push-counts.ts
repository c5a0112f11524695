import type { WebSocketSender } from '../../../core/aws/api-gateway-web-socket-sender.ts';
import { memberLookupIn } from '../../../core/directory/users/principals.ts';
import { findAccountStates, currentSequences } from '../../../core/push/listeners/account-states.ts';
import { notifyBatch } from '../../../lambdas/notify/notify-batch.ts';
import { notifierInMemory } from '../../support/notifier.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/**
 * The cost of notifying listeners of one change: DynamoDB usage, WebSocket messages, messages in the Web Push queue.
 */
export type PushCounts = TableUsage & {
  readonly posts: number;
  readonly queued: number;
  /** DynamoDB trips for data that clients wrote while connecting and waiting, before the delivery. */
  readonly idle: number;
};

/** Prices in USD a million: us-east-1, on demand, November 2026. */
export const prices = {
  readUnits: 0.125,
  writeUnits: 0.625,
  /** A message of up to 32 KB, in either direction. */
  posts: 1,
  queued: 0.4,
  /** A request of 50 ms with 512 MB on arm64. */
  invocations: 0.2 + 0.05 * 0.5 * 13.3334,
  connectionMinutes: 0.25,
} as const;

/** USD for a million changes, with one Lambda invocation each. In practice a batch of changes shares an invocation. */
export const priceOf = ({ readUnits, writeUnits, posts, queued }: PushCounts): number =>
  readUnits * prices.readUnits + writeUnits * prices.writeUnits + posts * prices.posts + queued * prices.queued + prices.invocations;

/** Measures the notifier for one delivery to an account with this many sockets and Web Push subscriptions. */
const perChange = async (sockets: number, subscriptions: number): Promise<PushCounts> => {
  const meter = new TableMeter();
  const notifier = notifierInMemory();
  const [mail, directory] = [meter.watch(notifier.mail), meter.watch(notifier.directory)];
  let posts = 0;
  const counted: WebSocketSender = {
    ...notifier.webSocketSender,
    post: (id, text) => {
      posts++;
      return notifier.webSocketSender.post(id, text);
    },
  };
  const notify = notifyBatch({ ...notifier.dependencies, mail, members: memberLookupIn(directory), webSocketSender: counted });
  await notifier.person('alice');
  await notifier.account('acc_alice', 'alice');
  const notifiedUpTo = currentSequences(await findAccountStates(notifier.mail, ['acc_alice']));
  for (let each = 0; each < sockets; each++) await notifier.socket('alice', `c${each}`, { notifiedUpTo });
  for (let each = 0; each < subscriptions; each++) await notifier.subscription('alice', `s${each}`, { notifiedUpTo });
  const idle = await meter.measure(() => notify({ Records: notifier.takeStreamRecords().filter(({ dynamodb }) => dynamodb?.Keys?.['sk']?.S !== 'HEAD') }));
  await notifier.deliver('acc_alice');
  const records = notifier.takeStreamRecords();
  const reading = await meter.measure(() => notify({ Records: records }));
  return { ...reading, posts, queued: notifier.deliveryQueue.messages.length, idle: idle.trips };
};

export const countPushes = async () => ({
  noListener: await perChange(0, 0),
  oneSocket: await perChange(1, 0),
  tenSockets: await perChange(10, 0),
  oneSubscription: await perChange(0, 1),
});
