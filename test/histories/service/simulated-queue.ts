import type { SimulatedTime } from './simulated-time.ts';

type QueueOptions = {
  readonly time: SimulatedTime;
  readonly random: () => number;
  readonly faultRate: () => number;
  /** Runs a Lambda on records. @returns the records that it did not handle. */
  readonly invoke: (bodies: readonly string[]) => Promise<readonly string[]>;
  /** Maximum records of one invocation. */
  readonly batchSize: number;
  readonly concurrency: number;
  /** Milliseconds after which a record is visible again when its Lambda failed. */
  readonly visibilityTimeout: number;
  /** Number of receives after which a record becomes a dead letter. */
  readonly maxReceives: number;
  /** Whether the queue loses messages. */
  readonly isLossy: boolean;
};

type Received = { readonly body: string; readonly receives: number };

/** A queue that may repeat, delay, reorder and lose messages, and the Lambda that it invokes. */
export const simulatedQueue = ({ time, random, faultRate, invoke, batchSize, concurrency, visibilityTimeout, maxReceives, isLossy }: QueueOptions) => {
  let [running, deadLetters] = [0, 0];
  const visible: Received[] = [];
  const receive = async (): Promise<void> => {
    if (running >= concurrency || visible.length === 0) return;
    const taken = visible.splice(0, 1 + Math.floor(random() * batchSize));
    running++;
    const failed = await invoke(taken.map(({ body }) => body));
    running--;
    for (const { body, receives } of taken) if (failed.includes(body)) show({ body, receives: receives + 1 }, visibilityTimeout);
    time.at(time.now() + random() * 200, receive);
  };
  const show = (message: Received, delay: number): void => {
    if (message.receives === maxReceives) return void deadLetters++;
    time.at(time.now() + delay, () => {
      visible.push(message);
      return receive();
    });
  };
  const put = (body: string, delaySeconds = 0): void => {
    const message = { body, receives: 0 };
    const lateness = random() < faultRate() ? random() * 120_000 : random() * 200;
    if (isLossy && random() < faultRate() / 4) return;
    show(message, delaySeconds * 1000 + lateness);
    // A repeated record comes while the first one is handled, or long after.
    if (random() < 4 * faultRate()) show(message, delaySeconds * 1000 + (random() < 0.7 ? lateness + random() * 100 : random() * 1_800_000));
  };
  return { put, deadLetters: () => deadLetters };
};
