import { systemClock } from '../platform/clock.ts';
import { configured, configuredOrNot } from '../platform/configuration.ts';
import { logFor } from '../platform/log.ts';
import { consume } from '../platform/queue-consumer.ts';
import { secretReader } from '../platform/secret.ts';
import { vapidKeyOf } from '../platform/vapid-key.ts';
import { addressRule, nodeAddresses } from '../providers/public-address.ts';
import { sqsQueue } from '../providers/sqs.ts';
import { webPushService } from '../providers/web-push-service.ts';
import { principalsIn } from '../store/directory/principals.ts';
import { dynamodbTable } from '../store/dynamodb-table.ts';
import { accountStates } from '../store/push/account-states.ts';
import { pushSubscriptionsIn } from '../store/push/push-subscriptions.ts';
import { pusher, type Pushing } from './push.ts';

/** Milliseconds for a push service to answer: the slow one takes no more of a batch's time. */
const timeout = 5_000;

/** Milliseconds that one message may need. */
const timeForOne = 10_000;

const mailTable = dynamodbTable(configured('mailTable'));
const vapidSecret = secretReader(configured('vapidSecretArn'));
const log = logFor('web-push');

const way = {
  addresses: nodeAddresses(configuredOrNot('dnsServers')?.split(' ')),
  isAllowed: addressRule(configuredOrNot('webPushNetworks')?.split(' ')),
  timeout,
};
const identity = { key: async () => vapidKeyOf(await vapidSecret()), contact: `mailto:postmaster@${configured('mailDomain')}` };

const pushing: Pushing = {
  subscriptions: pushSubscriptionsIn(mailTable),
  principals: principalsIn(dynamodbTable(configured('directoryTable'))),
  heads: (accountIds) => accountStates(mailTable, accountIds),
  pushService: webPushService(identity, way, systemClock),
  queue: sqsQueue(configured('webPushQueueUrl')),
  now: systemClock,
  log,
};

/** Messages of the queue, side by side: none waits for another's push service. */
export const handler = consume(pusher(pushing), { log, timeForOne, sideBySide: true });
