import { array, assert, asyncProperty, boolean, constant, constantFrom, nat, oneof, record, sample, subarray, type Arbitrary } from 'fast-check';
import { type TypeState } from '../../../contract/jmap/push.ts';
import { encodeHead } from '../../../core/account-log/head.ts';
import { stateString } from '../../../core/account-log/records/state-string.ts';
import { storedTypes } from '../../../core/mail/mail-store/stored-types.ts';
import { subscriptionItem } from '../../../core/push/listeners/push-subscription.ts';
import type { QueuedWebPush } from '../../../core/push/web-push/web-push-queue.ts';
import type { PushOutcome, PushService } from '../../../core/push/web-push/web-push-service.ts';
import { consumeQueue } from '../../../core/runtime/lambda/queue.ts';
import { retryLimits } from '../../../lambdas/push-delivery/retry-schedule.ts';
import { webPushHandler } from '../../../lambdas/push-delivery/web-push-handler.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { contextWith } from '../../support/queue-records.ts';
import { begin, url, webPushDeployment } from './web-push-deployment.ts';

describe('a push', () => {
  test('has the new state of every type that changed, once', async () => {
    const { commit, changed, pushService, stored } = await webPushDeployment();
    await commit('acc_alice', 7, 'Email', 'EmailDelivery', 'Thread');
    await changed();
    await changed();
    expect(pushService.attempted).toEqual([
      {
        target: { url },
        message: { '@type': 'StateChange', changed: { acc_alice: { Email: 'Email-7', EmailDelivery: 'EmailDelivery-7', Thread: 'Thread-7' } } },
        options: { timeToLive: 86_400, urgency: 'normal' },
      },
    ]);
    expect((await stored())!.notifiedUpTo).toEqual(
      new Map([
        ['acc_alice', 7],
        ['acc_shared', 1],
      ]),
    );
  });

  test('has low urgency without new mail', async () => {
    const { commit, changed, pushService } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    await changed();
    expect(pushService.attempted.map(({ options }) => options.urgency)).toEqual(['low']);
  });

  test('has the requested types only; a change of other types sends none', async () => {
    const { commit, changed, pushService } = await webPushDeployment({ types: ['EmailDelivery'] });
    await commit('acc_alice', 2, 'Email', 'Mailbox');
    await changed();
    expect(pushService.attempted).toEqual([]);
    await commit('acc_alice', 3, 'Email', 'EmailDelivery');
    await changed();
    expect(pushService.attempted.map(({ message }) => message)).toEqual([
      { '@type': 'StateChange', changed: { acc_alice: { EmailDelivery: 'EmailDelivery-3' } } },
    ]);
  });

  test('has the changes of all accounts, whichever account the message names', async () => {
    const { commit, changed, pushService } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    await commit('acc_shared', 5, 'Mailbox');
    await changed('acc_shared');
    await changed('acc_alice');
    expect(pushService.attempted.map(({ message }) => message)).toEqual([
      { '@type': 'StateChange', changed: { acc_alice: { Email: 'Email-2' }, acc_shared: { Mailbox: 'Mailbox-5' } } },
    ]);
  });

  test('has the accounts of which the principal is a member now, and no other', async () => {
    const { commit, changed, pushService, directory } = await webPushDeployment();
    await directory.write([{ delete: { pk: 'member#user_alice', sk: 'acc_shared' } }]);
    await commit('acc_shared', 2, 'Email');
    await changed('acc_shared');
    expect(pushService.attempted).toEqual([]);
    await directory.write([{ put: { pk: 'member#user_alice', sk: 'acc_new', role: 'READ', account_name: 'new', is_owner: false } }]);
    await commit('acc_new', 4, 'Email');
    await changed('acc_new');
    expect(pushService.attempted.map(({ message }) => message)).toMatchObject([{ changed: { acc_new: { Email: 'Email-4' } } }]);
  });

  test('is sent once for many messages of a batch', async () => {
    const { commit, changed, pushService } = await webPushDeployment();
    await commit('acc_alice', 9, 'Email');
    await Promise.all(Array.from({ length: 10 }, () => changed()));
    expect(pushService.attempted).toHaveLength(1);
  });

  test('is split when it would be too large for a push service', async () => {
    const { commit, changed, pushService, directory, stored } = await webPushDeployment();
    const accounts = Array.from({ length: 60 }, (_, index) => `acc_${index}_${'x'.repeat(20)}`);
    for (const sk of accounts) {
      await directory.write([{ put: { pk: 'member#user_alice', sk, role: 'READ', account_name: sk, is_owner: false } }]);
      await commit(sk, 9, 'Email', 'EmailDelivery', 'Mailbox', 'Thread');
    }
    await changed();
    expect(pushService.accepted.length).toBeGreaterThan(1);
    for (const { message } of pushService.accepted) expect(JSON.stringify(message).length).toBeLessThanOrEqual(3993);
    const notified = pushService.accepted.flatMap(({ message }) => Object.keys((message as { changed: object }).changed));
    expect(notified.sort()).toEqual(accounts.sort());
    expect([...(await stored())!.notifiedUpTo.values()].filter((sequence) => sequence === 9)).toHaveLength(60);
  });

  test('that was split continues where the Lambda ended', async () => {
    const { commit, changed, pushService, directory } = await webPushDeployment();
    for (let index = 0; index < 60; index += 1) {
      const sk = `acc_${index}_${'x'.repeat(20)}`;
      await directory.write([{ put: { pk: 'member#user_alice', sk, role: 'READ', account_name: sk, is_owner: false } }]);
      await commit(sk, 9, 'Email', 'EmailDelivery', 'Mailbox', 'Thread');
    }
    const original = { ...pushService };
    Object.assign(pushService, {
      push: async (...args: Parameters<PushService['push']>) => {
        if (pushService.accepted.length === 1) throw new Error('out of time');
        return original.push(...args);
      },
    });
    await expect(changed()).rejects.toThrow('out of time');
    Object.assign(pushService, original);
    await changed();
    const notified = pushService.accepted.flatMap(({ message }) => Object.keys((message as { changed: object }).changed));
    expect([notified.length, new Set(notified).size]).toEqual([60, 60]);
  });

  test('is sent to a machine too', async () => {
    const { commit, changed, pushService, directory } = await webPushDeployment({ principalId: 'headless' });
    await directory.write([{ put: { pk: 'member#headless', sk: 'acc_alice', role: 'READ', account_name: 'a', is_owner: false } }]);
    await commit('acc_alice', 2, 'Email');
    await changed();
    expect(pushService.accepted).toHaveLength(1);
  });

  test('is repeated after a crash between sending and recording', async () => {
    const { commit, changed, pushService, dependencies } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    const { subscriptions } = dependencies;
    Object.assign(dependencies, {
      subscriptions: {
        ...subscriptions,
        recordPush: async () => {
          throw new Error('crash');
        },
      },
    });
    await expect(changed()).rejects.toThrow('crash');
    Object.assign(dependencies, { subscriptions });
    await changed();
    expect(pushService.accepted).toHaveLength(2);
  });
});

describe('no push is sent', () => {
  // @requirement 8620 §7.2 push-verify
  test('before the subscription is verified, except its verification code', async () => {
    const { commit, changed, verify, pushService } = await webPushDeployment({ isVerified: false });
    await commit('acc_alice', 2, 'Email');
    await changed();
    expect(pushService.attempted).toEqual([]);
    await verify();
    expect(pushService.accepted).toEqual([
      {
        target: { url },
        message: { '@type': 'PushVerification', pushSubscriptionId: 'phone', verificationCode: 'the-code' },
        options: { timeToLive: 86_400, urgency: 'normal' },
      },
    ]);
  });

  test('with the verification code to a verified subscription', async () => {
    const { verify, pushService } = await webPushDeployment();
    await verify();
    expect(pushService.attempted).toEqual([]);
  });

  // @requirement 8620 §7.2 push-expires
  test('to an expired subscription, which is removed', async () => {
    const { commit, changed, pushService, stored, goTo } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    goTo(86_400);
    await changed();
    expect(pushService.attempted).toEqual([]);
    expect(await stored()).toBeUndefined();
  });

  test.each([
    ['deactivated', { set: { is_active: false } }],
    ['deleted', { set: { is_deleted: true } }],
    ['removed', undefined],
  ])('to a user who was %s, and the subscription is removed', async (_title, change) => {
    const { commit, changed, pushService, stored, directory } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    const key = { pk: 'member#user_alice', sk: 'profile' };
    await directory.write([change ? { update: key, ...change } : { delete: key }]);
    await changed();
    expect(pushService.attempted).toEqual([]);
    expect(await stored()).toBeUndefined();
  });

  test('to a subscription that was destroyed during a push, which does not create it again', async () => {
    const { commit, changed, pushService, dependencies, stored } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    const original = { ...pushService };
    Object.assign(pushService, {
      push: async (...args: Parameters<PushService['push']>) => {
        await dependencies.subscriptions.remove({ principalId: 'user_alice', id: 'phone' });
        return original.push(...args);
      },
    });
    await changed();
    expect(await stored()).toBeUndefined();
    await changed();
    expect(pushService.attempted).toHaveLength(1);
  });
});

describe('a failed push', () => {
  // @requirement 8620 §7.2 push-gone
  test('removes a subscription that has ended', async () => {
    const { commit, changed, setOutcome, stored, queue } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'gone' });
    await changed();
    expect(await stored()).toBeUndefined();
    expect(queue.messages).toEqual([]);
  });

  test('is retried, and then has everything that is new', async () => {
    const { commit, changed, setOutcome, stored, pushService, waitFor } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'unavailable', reason: 503 });
    await changed();
    await commit('acc_alice', 5, 'Email', 'Mailbox');
    setOutcome({ kind: 'accepted' });
    await waitFor(retryLimits.firstWait + 1);
    expect(pushService.accepted.map(({ message }) => message)).toEqual([
      { '@type': 'StateChange', changed: { acc_alice: { Email: 'Email-5', Mailbox: 'Mailbox-5' } } },
    ]);
    expect((await stored())!.retryState).toBeUndefined();
  });

  test('delays all pushes of the subscription until the retry, which has everything that is new', async () => {
    const { commit, changed, setOutcome, pushService, waitFor, queue } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'unavailable', reason: 429 });
    await changed();
    for (let sequence = 3; sequence < 30; sequence += 1) {
      await commit('acc_alice', sequence, 'Email');
      await commit('acc_shared', sequence, 'Email');
      await changed();
      await changed('acc_shared');
    }
    expect(pushService.attempted).toHaveLength(1);
    expect(queue.messages).toHaveLength(1);
    setOutcome({ kind: 'accepted' });
    await waitFor(retryLimits.firstWait + 1);
    expect(pushService.accepted.map(({ message }) => message)).toEqual([
      { '@type': 'StateChange', changed: { acc_alice: { Email: 'Email-29' }, acc_shared: { Email: 'Email-29' } } },
    ]);
  });

  // @requirement 8620 §7.2 push-too-many
  test('is not retried before Retry-After, also when that is beyond the longest delay of the queue', async () => {
    const { commit, changed, setOutcome, pushService, waitFor, queue } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'unavailable', reason: 429, retryAfter: 3000 });
    await changed();
    setOutcome({ kind: 'accepted' });
    for (const waited of [901, 901, 901]) {
      await waitFor(waited);
      expect(pushService.accepted).toEqual([]);
    }
    await waitFor(901);
    expect(pushService.accepted).toHaveLength(1);
    expect(queue.messages.every(({ delaySeconds }) => delaySeconds <= 900)).toBe(true);
  });

  test('is retried after a delay that doubles, up to an hour', async () => {
    const { commit, changed, setOutcome, stored, goTo } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'unavailable', reason: 'ECONNREFUSED' });
    const waits: number[] = [];
    for (let now = 0; waits.length < 10;) {
      await changed();
      const { retryAt } = (await stored())!.retryState!;
      waits.push(retryAt - begin - now);
      now = retryAt - begin;
      goTo(now);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  });

  test('removes the subscription after two days of failures', async () => {
    const { commit, changed, setOutcome, stored, goTo } = await webPushDeployment({ expiresAt: begin + 7 * 86_400 });
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'unavailable', reason: 500 });
    await changed();
    goTo(2 * 86_400 - 1);
    await changed();
    expect(await stored()).toBeDefined();
    goTo(2 * 86_400 + 4000);
    await changed();
    expect(await stored()).toBeUndefined();
  });

  test.each([[413], [400], [403]])('removes the subscription after several rejections with %i; a success resets the count', async (reason) => {
    const { commit, changed, setOutcome, stored, goTo } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'rejected', reason });
    let now = 0;
    const fail = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        goTo((now += 4000));
        await changed();
      }
    };
    await fail(retryLimits.maxRejections - 1);
    setOutcome({ kind: 'accepted' });
    await fail(1);
    await commit('acc_alice', 3, 'Email');
    setOutcome({ kind: 'rejected', reason });
    await fail(retryLimits.maxRejections - 1);
    expect(await stored()).toBeDefined();
    await fail(1);
    expect(await stored()).toBeUndefined();
  });

  test('of a verification code is retried a few times only, then the subscription is removed', async () => {
    const { verify, setOutcome, stored, pushService, waitFor } = await webPushDeployment({ isVerified: false });
    setOutcome({ kind: 'unavailable', reason: 500 });
    await verify();
    for (let times = 0; times < 10; times += 1) await waitFor(901);
    expect(pushService.attempted).toHaveLength(retryLimits.maxUnverifiedFailures);
    expect(await stored()).toBeUndefined();
  });

  test('of a verification code that arrived nevertheless delays no push longer than its retry, once the client is verified', async () => {
    const { verify, changed, commit, setOutcome, dependencies, pushService, waitFor } = await webPushDeployment({ isVerified: false });
    setOutcome({ kind: 'unavailable', reason: 502 });
    await verify();
    await commit('acc_alice', 2, 'Email');
    await dependencies.subscriptions.change({ principalId: 'user_alice', id: 'phone' }, { isVerified: true });
    await changed();
    setOutcome({ kind: 'accepted' });
    await waitFor(1000);
    expect(pushService.accepted.map(({ message }) => message)).toEqual([{ '@type': 'StateChange', changed: { acc_alice: { Email: 'Email-2' } } }]);
  });

  test('is retried when the Lambda crashes between requeueing and recording', async () => {
    const { commit, changed, setOutcome, dependencies, pushService, waitFor, queue } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'unavailable', reason: 503 });
    const { subscriptions } = dependencies;
    Object.assign(dependencies, {
      subscriptions: {
        ...subscriptions,
        recordPush: async () => {
          throw new Error('crash');
        },
      },
    });
    await expect(changed()).rejects.toThrow('crash');
    Object.assign(dependencies, { subscriptions });
    setOutcome({ kind: 'accepted' });
    await changed();
    await waitFor(1000);
    expect(pushService.accepted).toHaveLength(1);
    expect(queue.messages).toHaveLength(1);
  });

  test('logs its reason, and neither the URL nor the code', async () => {
    const { commit, changed, setOutcome, log } = await webPushDeployment();
    await commit('acc_alice', 2, 'Email');
    setOutcome({ kind: 'unavailable', reason: 503 });
    await changed();
    const text = JSON.stringify(log.records);
    expect(text).toContain('503');
    expect(text).not.toMatch(/push\.example\.net|the-code/);
  });
});

// @pitfall push dead-subscription
test('a push service that does not respond delays no other push of the batch', async () => {
  const { dependencies, commit, pushService, mail } = await webPushDeployment();
  await commit('acc_alice', 2, 'Email');
  await mail.write([
    {
      put: subscriptionItem({
        id: 'slow',
        principalId: 'user_alice',
        deviceClientId: 'slow',
        url: 'https://slow.example.net/',
        verificationCode: 'x',
        isVerified: true,
        createdAt: begin,
        expiresAt: begin + 86_400,
        types: null,
        notifiedUpTo: new Map(),
      }),
    },
  ]);
  let answerSlowly = (): void => undefined;
  const original = { ...pushService };
  Object.assign(pushService, {
    push: async (...args: Parameters<PushService['push']>) => {
      if (args[0].url.includes('slow'))
        await new Promise<void>((done) => {
          answerSlowly = done;
        });
      return original.push(...args);
    },
  });
  const handle = webPushHandler(dependencies);
  const handler = consumeQueue((body) => handle(JSON.parse(body) as QueuedWebPush), { log: memoryLog() });
  const Records = ['slow', 'phone'].map((subscriptionId) => ({
    messageId: subscriptionId,
    body: JSON.stringify({ principalId: 'user_alice', subscriptionId, changed: {} }),
    attributes: {},
  }));
  const whole = handler({ Records } as never, contextWith());
  while (pushService.accepted.length === 0)
    await new Promise((done) => {
      setImmediate(done);
    });
  expect(pushService.accepted.map(({ target }) => target.url)).toEqual([url]);
  answerSlowly();
  expect(await whole).toEqual({ batchItemFailures: [] });
});

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
