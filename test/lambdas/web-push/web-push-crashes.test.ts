import { storedTypes } from '../../../core/mail/stored-types.ts';
import { array, assert, asyncProperty, boolean, constant, constantFrom, nat, oneof, record, sample, subarray, type Arbitrary } from 'fast-check';
import { type TypeState } from '../../../contract/jmap/push.ts';
import type { PushOutcome } from '../../../core/push/push-service.ts';
import { encodeHead } from '../../../core/mail/head.ts';
import { stateAt } from '../../../core/mail/state-string.ts';
import { webPushHandler } from '../../../lambdas/web-push/web-push-handler.ts';
import { deployment } from './web-push-deployment.ts';

type Step =
  | { readonly do: 'commit'; readonly account: 'acc_alice' | 'acc_shared'; readonly types: readonly string[] }
  | { readonly do: 'hand out'; readonly which: number; readonly twice: boolean }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'answer'; readonly outcome: PushOutcome }
  /** The Lambda ends before its next note to the table, or before it puts its next message into the queue. */
  | { readonly do: 'crash at'; readonly what: 'recordPush' | 'queue' };

const step = oneof<Arbitrary<Step>[]>(
  record({ do: constant('commit' as const), account: constantFrom('acc_alice' as const, 'acc_shared' as const), types: subarray([...storedTypes.keys()], { minLength: 1 }) }),
  record({ do: constant('hand out' as const), which: nat(20), twice: boolean() }),
  record({ do: constant('wait' as const), seconds: constantFrom(1, 31, 600, 4000) }),
  record({ do: constant('answer' as const), outcome: constantFrom<PushOutcome>({ kind: 'accepted' }, { kind: 'accepted' }, { kind: 'unavailable', reason: 503 }, { kind: 'unavailable', reason: 429, retryAfter: 2000 }, { kind: 'rejected', reason: 413 }) }),
  record({ do: constant('crash at' as const), what: constantFrom('recordPush' as const, 'queue' as const) }),
);

/** A queue as SQS is one: a message may be handed out twice, in any order, and comes again when its handling fails. */
const run = async (steps: readonly Step[]) => {
  const world = await deployment();
  const { ports, queue, mail, pushService } = world;
  const waiting: { readonly body: string; readonly from: number }[] = [];
  const known = { acc_alice: 1, acc_shared: 1 };
  const states = { acc_alice: {}, acc_shared: {} } as Record<string, Partial<Record<string, number>>>;
  let time = 0;
  let crash: 'recordPush' | 'queue' | undefined;
  const failing = <Args extends unknown[], Result>(what: typeof crash, act: (...args: Args) => Promise<Result>) => async (...args: Args): Promise<Result> => {
    if (crash === what) {
      crash = undefined;
      throw new Error('crash');
    }
    return act(...args);
  };
  const { subscriptions } = ports;
  Object.assign(ports, {
    subscriptions: { ...subscriptions, recordPush: failing('recordPush', (...args: Parameters<typeof subscriptions.recordPush>) => subscriptions.recordPush(...args)) },
    queue: { send: failing('queue', async (message: unknown, delay: number) => { waiting.push({ body: JSON.stringify(message), from: time + delay }); }) },
  });
  const handle = webPushHandler(ports);
  const handOut = async (which: number, twice: boolean): Promise<void> => {
    const ready = waiting.filter(({ from }) => from <= time);
    const message = ready[which % Math.max(1, ready.length)];
    if (!message) return;
    const outcomes = await Promise.allSettled(Array.from({ length: twice ? 2 : 1 }, () => handle(message.body)));
    if (outcomes.every(({ status }) => status === 'fulfilled')) waiting.splice(waiting.indexOf(message), 1);
  };
  const goOn = (seconds: number): void => { world.goTo(time += seconds); };
  for (const each of steps) {
    if (each.do === 'hand out') await handOut(each.which, each.twice);
    else if (each.do === 'wait') goOn(each.seconds);
    else if (each.do === 'answer') world.answer(each.outcome);
    else if (each.do === 'crash at') crash = each.what;
    else {
      const sequence = known[each.account] += 1;
      for (const type of each.types) states[each.account]![type] = sequence;
      await mail.write([{ put: encodeHead(each.account, {
        sequence, states: Object.fromEntries([...storedTypes.keys()].map((type) => [type, states[each.account]![type] ?? 1])), lowWater: 0, roles: {}, bytes: 0,
      }) }]);
      waiting.push({ body: JSON.stringify({ principalId: 'alice', subscriptionId: 'phone', changed: { [each.account]: sequence - 1 } }), from: time });
    }
  }
  crash = undefined;
  world.answer({ kind: 'accepted' });
  for (let rounds = 0; waiting.length > 0 && rounds < 500; rounds += 1) {
    await handOut(0, false);
    if (waiting.every(({ from }) => from > time)) goOn(300);
  }
  expect([waiting, queue.messages]).toEqual([[], []]);
  return { states, isThere: await world.stored() !== undefined, taken: pushService.taken.map(({ message }) => (message as { changed: Record<string, TypeState> }).changed) };
};

test('whatever fails, comes twice or out of order: in the end the client was told the newest state of all that changed, or its subscription is no more', async () => {
  await assert(asyncProperty(array(step, { maxLength: 60 }), async (steps) => {
    const { states, taken, isThere } = await run(steps);
    if (!isThere) return;
    for (const [accountId, changed] of Object.entries(states)) {
      const told: TypeState = Object.assign({}, ...taken.map((each) => each[accountId] ?? {})) as TypeState;
      expect(told).toEqual(Object.fromEntries(Object.keys(changed).map((type) => [type, stateAt(type, { sequence: changed[type]! })])));
    }
  }), { numRuns: 300 });
}, 60_000);

test('subscriptions do survive such trouble, so that the test above says something', async () => {
  let survived = 0;
  for (const steps of sample(array(step, { minLength: 30, maxLength: 60 }), { numRuns: 50, seed: 7 })) survived += Number((await run(steps)).isThere);
  expect(survived).toBeGreaterThan(20);
}, 30_000);
