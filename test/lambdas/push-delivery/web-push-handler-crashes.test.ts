import { array, assert, asyncProperty, boolean, constant, constantFrom, nat, oneof, record, sample, subarray, type Arbitrary } from 'fast-check';
import { type TypeState } from '../../../contract/jmap/push.ts';
import { encodeHead } from '../../../core/account-log/head.ts';
import { stateString } from '../../../core/account-log/records/state-string.ts';
import { storedTypes } from '../../../core/mail/mail-store/stored-types.ts';
import type { PushOutcome } from '../../../core/push/web-push/push-service.ts';
import type { QueuedWebPush } from '../../../core/push/web-push/web-push-queue.ts';
import { webPushHandler } from '../../../lambdas/push-delivery/web-push-handler.ts';
import { webPushDeployment } from './web-push-deployment.ts';

type Step =
  | { readonly do: 'commit'; readonly account: 'acc_alice' | 'acc_shared'; readonly types: readonly string[] }
  | { readonly do: 'deliver'; readonly which: number; readonly twice: boolean }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'answer'; readonly outcome: PushOutcome }
  /** The Lambda crashes before its next write to the table, or before it sends its next message. */
  | { readonly do: 'crash at'; readonly what: 'recordPush' | 'queue' };

const step = oneof<Arbitrary<Step>[]>(
  record({
    do: constant('commit' as const),
    account: constantFrom('acc_alice' as const, 'acc_shared' as const),
    types: subarray([...storedTypes.keys()], { minLength: 1 }),
  }),
  record({ do: constant('deliver' as const), which: nat(20), twice: boolean() }),
  record({ do: constant('wait' as const), seconds: constantFrom(1, 31, 600, 4000) }),
  record({
    do: constant('answer' as const),
    outcome: constantFrom<PushOutcome>(
      { kind: 'accepted' },
      { kind: 'accepted' },
      { kind: 'unavailable', reason: 503 },
      { kind: 'unavailable', reason: 429, retryAfter: 2000 },
      { kind: 'rejected', reason: 413 },
    ),
  }),
  record({ do: constant('crash at' as const), what: constantFrom('recordPush' as const, 'queue' as const) }),
);

/**
 * Runs the steps with a queue that works like SQS: it delivers messages in any order and possibly twice, and again
 * after a failure.
 */
const run = async (steps: readonly Step[]) => {
  const deployment = await webPushDeployment();
  const { dependencies, queue, mail, pushService } = deployment;
  const waiting: { readonly body: string; readonly from: number }[] = [];
  const sequences = { acc_alice: 1, acc_shared: 1 };
  const states = { acc_alice: {}, acc_shared: {} } as Record<string, Partial<Record<string, number>>>;
  let time = 0;
  let crash: 'recordPush' | 'queue' | undefined;
  const failing =
    <Args extends unknown[], Result>(what: typeof crash, act: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      if (crash === what) {
        crash = undefined;
        throw new Error('crash');
      }
      return act(...args);
    };
  const { subscriptions } = dependencies;
  Object.assign(dependencies, {
    subscriptions: {
      ...subscriptions,
      recordPush: failing('recordPush', (...args: Parameters<typeof subscriptions.recordPush>) => subscriptions.recordPush(...args)),
    },
    queue: {
      send: failing('queue', async (message: unknown, delay: number) => {
        waiting.push({ body: JSON.stringify(message), from: time + delay });
      }),
    },
  });
  const handle = webPushHandler(dependencies);
  const deliver = async (which: number, twice: boolean): Promise<void> => {
    const ready = waiting.filter(({ from }) => from <= time);
    const message = ready[which % Math.max(1, ready.length)];
    if (!message) return;
    const outcomes = await Promise.allSettled(Array.from({ length: twice ? 2 : 1 }, () => handle(JSON.parse(message.body) as QueuedWebPush)));
    if (outcomes.every(({ status }) => status === 'fulfilled')) waiting.splice(waiting.indexOf(message), 1);
  };
  const wait = (seconds: number): void => {
    deployment.goTo((time += seconds));
  };
  for (const each of steps) {
    if (each.do === 'deliver') await deliver(each.which, each.twice);
    else if (each.do === 'wait') wait(each.seconds);
    else if (each.do === 'answer') deployment.setOutcome(each.outcome);
    else if (each.do === 'crash at') crash = each.what;
    else {
      const sequence = (sequences[each.account] += 1);
      for (const type of each.types) states[each.account]![type] = sequence;
      await mail.write([
        {
          put: encodeHead(each.account, {
            sequence,
            states: Object.fromEntries([...storedTypes.keys()].map((type) => [type, states[each.account]![type] ?? 1])),
            lowWater: 0,
            roles: {},
            bytes: 0,
            messages: 0,
            logBytes: 0,
          }),
        },
      ]);
      waiting.push({ body: JSON.stringify({ principalId: 'user_alice', subscriptionId: 'phone', changed: { [each.account]: sequence - 1 } }), from: time });
    }
  }
  crash = undefined;
  deployment.setOutcome({ kind: 'accepted' });
  for (let rounds = 0; waiting.length > 0 && rounds < 500; rounds += 1) {
    await deliver(0, false);
    if (waiting.every(({ from }) => from > time)) wait(300);
  }
  expect([waiting, queue.messages]).toEqual([[], []]);
  const accepted = pushService.accepted.map(({ message }) => (message as { changed: Record<string, TypeState> }).changed);
  return { states, isThere: (await deployment.stored()) !== undefined, accepted };
};

test('with failures, duplicates and any order of messages, a client receives the newest state of each changed type, or its subscription is removed', async () => {
  await assert(
    asyncProperty(array(step, { maxLength: 60 }), async (steps) => {
      const { states, accepted, isThere } = await run(steps);
      if (!isThere) return;
      for (const [accountId, changed] of Object.entries(states)) {
        const received: TypeState = Object.assign({}, ...accepted.map((each) => each[accountId] ?? {})) as TypeState;
        expect(received).toEqual(Object.fromEntries(Object.keys(changed).map((type) => [type, stateString(type, { sequence: changed[type]! })])));
      }
    }),
    { numRuns: 300 },
  );
});

test('most subscriptions survive these failures, so the test above covers both outcomes', async () => {
  let survived = 0;
  for (const steps of sample(array(step, { minLength: 30, maxLength: 60 }), { numRuns: 50, seed: 7 })) {
    survived += Number((await run(steps)).isThere);
  }
  expect(survived).toBeGreaterThan(20);
});
