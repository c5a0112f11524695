import { encodeHead } from '../../../core/account-log/head.ts';
import { principalsIn } from '../../../core/directory/users/principals.ts';
import { findAccountStates } from '../../../core/push/listeners/account-states.ts';
import { subscriptionItem, type PushSubscription } from '../../../core/push/listeners/push-subscription.ts';
import { pushSubscriptionsIn } from '../../../core/push/web-push/push-subscriptions.ts';
import type { QueuedWebPush } from '../../../core/push/web-push/web-push-queue.ts';
import type { PushOutcome } from '../../../core/push/web-push/web-push-service.ts';
import { webPushHandler, type WebPushDependencies } from '../../../lambdas/push-delivery/web-push-handler.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryPushService } from '../../fakes/memory-push-service.ts';
import { memoryQueue } from '../../fakes/memory-queue.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

/** The time at which tests begin, in seconds since 1970. */
export const begin = Date.parse('2026-11-21T08:00:00Z') / 1000;
export const url = 'https://push.example.net/abc';

/** Alice, her account and a shared one, the verified subscription of her phone, and a clock that the test sets. */
export const webPushDeployment = async (more: Partial<PushSubscription> = {}) => {
  const [directory, mail] = [memoryTable(), memoryTable()];
  const [pushService, queue, log] = [memoryPushService(), memoryQueue(), memoryLog()];
  const handled = new Set<number>();
  let time = begin;
  const dependencies: WebPushDependencies = {
    subscriptions: pushSubscriptionsIn(mail),
    principals: principalsIn(directory),
    findAccountStates: (accountIds) => findAccountStates(mail, accountIds),
    pushService,
    queue,
    clock: () => new Date(time * 1000),
    log,
  };
  await directory.write([
    { put: { pk: 'member#user_alice', sk: 'profile', primary_email: 'alice@example.test', is_active: true, is_admin: false, is_deleted: false } },
    ...['acc_alice', 'acc_shared'].map((sk) => ({ put: { pk: 'member#user_alice', sk, role: 'WRITE', account_name: sk, is_owner: false } })),
  ]);
  const commit = (accountId: string, sequence: number, ...types: string[]) =>
    mail.write([
      {
        put: encodeHead(accountId, {
          sequence,
          states: Object.fromEntries(['Email', 'EmailDelivery', 'Mailbox', 'Thread'].map((type) => [type, types.includes(type) ? sequence : 1])),
          lowWater: 0,
          roles: {},
          bytes: 0,
          messages: 0,
          logBytes: 0,
        }),
      },
    ]);
  await commit('acc_alice', 1);
  await commit('acc_shared', 1);
  const subscription: PushSubscription = {
    id: 'phone',
    principalId: 'user_alice',
    deviceClientId: 'phone',
    url,
    verificationCode: 'the-code',
    isVerified: true,
    createdAt: begin,
    expiresAt: begin + 86_400,
    types: null,
    notifiedUpTo: new Map([
      ['acc_alice', 1],
      ['acc_shared', 1],
    ]),
    ...more,
  };
  await mail.write([{ put: subscriptionItem(subscription) }]);
  const message = { principalId: subscription.principalId, subscriptionId: 'phone' };
  const push = webPushHandler(dependencies);
  const send = (what: object) => push({ ...message, ...what } as QueuedWebPush);
  return {
    dependencies,
    pushService,
    queue,
    log,
    directory,
    mail,
    commit,
    changed: (accountId = 'acc_alice') => send({ changed: { [accountId]: 0 } }),
    verify: () => send({ verify: true }),
    stored: () => dependencies.subscriptions.find({ principalId: subscription.principalId, id: 'phone' }),
    setOutcome: (outcome: PushOutcome) => pushService.setOutcome(url, outcome),
    goTo: (seconds: number) => {
      time = begin + seconds;
    },
    /** Moves the clock, and delivers the queued messages whose delay ends in that time. */
    waitFor: async (seconds: number) => {
      const end = time + seconds;
      const waiting = () => queue.messages.map((entry, index) => ({ ...entry, index })).filter(({ index }) => !handled.has(index));
      for (const { message, delaySeconds, index } of waiting()) {
        if (time + delaySeconds > end) continue;
        handled.add(index);
        time += delaySeconds;
        await push(message as QueuedWebPush);
      }
      time = Math.max(time, end);
    },
  };
};
