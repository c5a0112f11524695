import { LambdaCrashed, LostConnection, takeTurn, type LambdaProcess } from '../fakes/faulty-table.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { SimulatedTime } from './simulated-time.ts';

type QueueOptions = {
  readonly time: SimulatedTime;
  readonly random: () => number;
  readonly faultRate: () => number;
  /** Runs a Lambda on a record. @returns whether the record was handled. */
  readonly invoke: (body: string) => Promise<boolean>;
  readonly concurrency: number;
};

/** Milliseconds until a record whose Lambda failed is visible again. */
const visibilityTimeout = 12 * 60_000;
/** Receives after which a record becomes a dead letter. */
const maxReceives = 5;

/** A queue that repeats, delays, reorders and sometimes loses its messages, and the Lambda that it invokes. */
export const simulatedQueue = ({ time, random, faultRate, invoke, concurrency }: QueueOptions) => {
  let [running, deadLetters] = [0, 0];
  const receive = (body: string, receives: number): void => {
    if (running >= concurrency) return time.at(time.now() + 100 + random() * 100, () => receive(body, receives));
    if (receives === maxReceives) return void deadLetters++;
    running++;
    void (async () => {
      const isHandled = await invoke(body);
      running--;
      if (!isHandled) time.at(time.now() + visibilityTimeout, () => receive(body, receives + 1));
    })();
  };
  const put = (body: string, delaySeconds: number): void => {
    const lateness = random() < faultRate() ? random() * 120_000 : random() * 200;
    if (random() < faultRate() / 4) return;
    time.at(time.now() + delaySeconds * 1000 + lateness, () => receive(body, 0));
    if (random() < faultRate()) time.at(time.now() + delaySeconds * 1000 + random() * 1_800_000, () => receive(body, 0));
  };
  return {
    put,
    deadLetters: () => deadLetters,
    /** The queue as one Lambda reaches it. */
    for: (lambda: LambdaProcess): Queue => ({
      async send(message, delaySeconds = 0) {
        await takeTurn(lambda, time.turn);
        const fault = random() < faultRate() ? Math.floor(random() * 4) : undefined;
        if (fault !== 0 && fault !== 1) put(JSON.stringify(message), delaySeconds);
        if (fault === 1 || fault === 2) lambda.hasCrashed = true;
        if (lambda.hasCrashed) throw new LambdaCrashed();
        if (fault !== undefined) throw new LostConnection();
      },
    }),
  };
};
