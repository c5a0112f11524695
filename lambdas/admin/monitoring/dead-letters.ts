import { deadLetterQueues, deadLetterWorkTime, type DeadLetterAction, type DeadLetterQueue } from '../../../contract/deployment/dead-letters.ts';
import { isDeadLetterQueue, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import type { DeadLetters, HeldMessage } from '../../../core/aws/sqs-dead-letters.ts';
import type { Call } from '../../../core/rpc/admin-method.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { fateOf } from './dead-letter-content.ts';

export type DeadLetterDependencies = { readonly resources: MonitoredResources; readonly deadLetters: DeadLetters; readonly clock: Clock };

/** Seconds for which a call holds messages that it reads. It is longer than the call. */
const holdSeconds = 30;

type Place = DeadLetterQueue & {
  readonly place: string;
  /** The name of the queue with the dead letters. */
  readonly deadName: string;
  /** The name of the queue whose messages they were. */
  readonly workName: string;
};

/** The name of the queue with the dead letters of a place. */
export const deadLettersOf = ({ queues }: Pick<MonitoredResources, 'queues'>, place: string): string | undefined =>
  isDeadLetterQueue(place) ? queues[place] : queues[`${place}/DeadLetters`];

/** The dead letters of a queue by its name in the interface. @throws RpcError */
export const findDeadLetters = (resources: MonitoredResources, place: string): Place => {
  const [known, deadName, workName] = [
    Object.hasOwn(deadLetterQueues, place) && deadLetterQueues[place],
    deadLettersOf(resources, place),
    resources.queues[place],
  ];
  if (!known || deadName === undefined || workName === undefined) throw notFound('queue with dead letters; ListQueues has their names');
  return { ...known, place, deadName, workName };
};

/** Reads without a message, of a second each, after which messages that another call holds are not waited for. */
const maxEmptyReads = 4;

/**
 * Holds messages batch by batch, until there are no more. The messages that `use` leaves are released at the end.
 * @param use handles a batch. It returns the messages that it leaves, and whether it needs no further ones.
 * @param emptyReads the reads without a message that end the work.
 */
const holdEach = async (
  deadLetters: DeadLetters,
  queueName: string,
  use: (batch: readonly HeldMessage[]) => Promise<{ readonly left: readonly HeldMessage[]; readonly isEnough: boolean }>,
  emptyReads = 1,
): Promise<void> => {
  const held = new Map<string, HeldMessage>();
  let empty = 0;
  try {
    for (;;) {
      const batch = await deadLetters.hold(queueName, holdSeconds);
      if (batch.length === 0 && (empty += 1) >= emptyReads) return;
      for (const message of batch) held.set(message.messageId, message);
      const { left, isEnough } = await use(batch);
      for (const message of batch) if (!left.includes(message)) held.delete(message.messageId);
      if (isEnough) return;
    }
  } finally {
    if (held.size > 0) await deadLetters.release(queueName, [...held.values()]);
  }
};

/** Reads up to `limit` dead letters, the oldest first. */
export const readDeadLetters = async ({ deadLetters }: Pick<DeadLetterDependencies, 'deadLetters'>, { deadName }: Place, limit: number) => {
  const found = new Map<string, HeldMessage>();
  await holdEach(deadLetters, deadName, async (batch) => {
    for (const message of batch) found.set(message.messageId, message);
    return { left: batch, isEnough: found.size >= limit };
  });
  return [...found.values()].toSorted((one, other) => one.enqueuedAt.getTime() - other.enqueuedAt.getTime()).slice(0, limit);
};

type ActionRequest = { readonly queue: string; readonly message_ids: readonly string[] };

const impossible: { readonly [Action in DeadLetterAction]: string } = {
  RETRY: 'no queue takes these dead letters back; drop them',
  RETURN: 'these dead letters are no mail that has a sender',
  DROP: 'this mail would be queued again, because it is in the outbox; return it to its sender',
};

/**
 * Acts on dead letters. A message is sent before it is deleted, so that an interrupted call doubles it and never loses
 * it. The audit entry is stored before the first message is removed.
 */
export const actOnDeadLetters = async (
  { resources, deadLetters, clock }: DeadLetterDependencies,
  action: DeadLetterAction,
  { queue, message_ids: ids }: ActionRequest,
  { audit }: Pick<Call, 'audit'>,
): Promise<{ done: number; complete: boolean }> => {
  const { place, actions, deadName, workName } = findDeadLetters(resources, queue);
  const metadata = { messages: ids.length > 0 ? String(ids.length) : 'all' };
  audit.describe({ entity_id: queue, entity_name: queue, metadata });
  if (!actions.includes(action)) throw new RpcError('failed_precondition', impossible[action]);
  await audit.recordPending();
  const deadline = clock().getTime() + deadLetterWorkTime;
  const missing = new Set(ids);
  let done = 0;
  let isOver = false;
  const use = async (batch: readonly HeldMessage[]) => {
    const chosen = batch.filter(({ messageId }) => ids.length === 0 || missing.delete(messageId));
    const acted = chosen.map((message) => ({ message, ...fateOf(place, action, message.body) })).filter(({ stays }) => !stays);
    await mapConcurrently(acted, async ({ body }) => body !== undefined && deadLetters.send(workName, body));
    await deadLetters.remove(
      deadName,
      acted.map(({ message }) => message),
    );
    done += acted.length;
    isOver = clock().getTime() >= deadline;
    const left = batch.filter((message) => !acted.some((one) => one.message === message));
    return { left, isEnough: isOver || (ids.length > 0 && missing.size === 0) };
  };
  // A list of the same messages that is read at this moment holds them for a second.
  await holdEach(deadLetters, deadName, use, ids.length > 0 ? maxEmptyReads : 1);
  audit.describe({ metadata: { ...metadata, done: String(done) } });
  return { done, complete: !isOver || (ids.length > 0 && missing.size === 0) };
};
