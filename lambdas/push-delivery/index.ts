import { apiGatewayWebSocketSender } from '../../core/aws/api-gateway-web-socket-sender.ts';
import { sqsMessageSource, sqsQueue } from '../../core/aws/sqs-queue.ts';
import { principalsIn } from '../../core/directory/users/principals.ts';
import { findAccountStates } from '../../core/push/listeners/account-states.ts';
import { addressRule, dnsAddressResolver } from '../../core/push/web-push/public-address.ts';
import { pushSubscriptionsIn } from '../../core/push/web-push/push-subscriptions.ts';
import { deriveVapidKey } from '../../core/push/web-push/vapid-key.ts';
import type { QueuedWebPush } from '../../core/push/web-push/web-push-queue.ts';
import { webPushService } from '../../core/push/web-push/web-push-service.ts';
import type { SocketRetry } from '../../core/push/web-socket/socket-retry.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { consumeOrDrain } from '../../core/runtime/lambda/queue-drain.ts';
import { consumeQueue } from '../../core/runtime/lambda/queue.ts';
import { setting, optionalSetting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { storedSecret } from '../../core/storage/stored-secret.ts';
import { retrySocket, type RetrySocketDependencies } from './retry-socket.ts';
import { webPushHandler } from './web-push-handler.ts';

/** Milliseconds after which a request to a push service fails. */
const timeout = 5_000;

/** Milliseconds that a message may take: resolving the push service's name, connecting, and the response. */
const timeForOne = 10_000;

const mailTable = dynamodbTable(setting('mailTable'));
const vapidSecret = storedSecret(mailTable, 'vapid');
const log = logFor('push-delivery');

const postOptions = {
  resolveAddresses: dnsAddressResolver(optionalSetting('dnsServers')?.split(' ')),
  isAllowed: addressRule(optionalSetting('webPushNetworks')?.split(' ')),
  timeout,
};
const identity = { key: async () => deriveVapidKey(await vapidSecret()), contact: `mailto:postmaster@${setting('mailDomain')}` };

const common = {
  principals: principalsIn(dynamodbTable(setting('directoryTable'))),
  queue: sqsQueue(setting('pushDeliveryQueueUrl')),
  clock: systemClock,
  log,
};
const handleWebPush = webPushHandler({
  ...common,
  subscriptions: pushSubscriptionsIn(mailTable),
  findAccountStates: (accountIds) => findAccountStates(mailTable, accountIds),
  pushService: webPushService(identity, postOptions, systemClock),
});
const socketDependencies: RetrySocketDependencies = {
  ...common,
  mail: mailTable,
  webSocketSender: apiGatewayWebSocketSender(setting('webSocketManagementUrl')),
  random: Math.random,
};

const handleMessage = (body: string): Promise<void> => {
  const message: QueuedWebPush | SocketRetry = JSON.parse(body);
  return 'connectionId' in message ? retrySocket(socketDependencies, message) : handleWebPush(message);
};

/**
 * Handles messages of the queue concurrently, so that no message waits for the push service or the socket of another.
 */
export const handler = invoked(
  consumeOrDrain(consumeQueue(handleMessage, { log }), { source: sqsMessageSource(setting('drainedQueueUrl')), timeForBatch: timeForOne }),
);
