import { systemClock } from '../../core/runtime/clock.ts';
import { setting, optionalSetting } from '../../core/runtime/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { consume } from '../../core/runtime/queue-consumer.ts';
import { secretReader } from '../../core/aws/secrets-manager/secret-reader.ts';
import { vapidKeyOf } from '../../core/push/vapid-key.ts';
import { addressRule, nodeAddresses } from '../../core/push/public-address.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { webPushService } from '../../core/push/web-push-service.ts';
import { principalsIn } from '../../core/directory/principals.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { accountStates } from '../../core/push/account-states.ts';
import { pushSubscriptionsIn } from '../../core/push/push-subscriptions.ts';
import { pusher, type Pushing } from './push.ts';

/** Milliseconds for a push service to answer: the slow one takes no more of a batch's time. */
const timeout = 5_000;

/** Milliseconds that one message may need. */
const timeForOne = 10_000;

const mailTable = dynamodbTable(setting('mailTable'));
const vapidSecret = secretReader(setting('vapidSecretArn'));
const log = logFor('web-push');

const way = {
  addresses: nodeAddresses(optionalSetting('dnsServers')?.split(' ')),
  isAllowed: addressRule(optionalSetting('webPushNetworks')?.split(' ')),
  timeout,
};
const identity = { key: async () => vapidKeyOf(await vapidSecret()), contact: `mailto:postmaster@${setting('mailDomain')}` };

const pushing: Pushing = {
  subscriptions: pushSubscriptionsIn(mailTable),
  principals: principalsIn(dynamodbTable(setting('directoryTable'))),
  heads: (accountIds) => accountStates(mailTable, accountIds),
  pushService: webPushService(identity, way, systemClock),
  queue: sqsQueue(setting('webPushQueueUrl')),
  now: systemClock,
  log,
};

/** Messages of the queue, side by side: none waits for another's push service. */
export const handler = consume(pusher(pushing), { log, timeForOne, sideBySide: true });
