import { apiGatewayWebSocketSender } from '../../core/aws/api-gateway-web-socket-sender.ts';
import { sqsQueue, sqsQueues } from '../../core/aws/sqs-queue.ts';
import { memberLookupIn } from '../../core/directory/users/principals.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { notifyBatch } from './notify-batch.ts';

/** Handles records of the streams of the mail table and of the directory. */
export const handler = invoked(
  notifyBatch({
    mail: dynamodbTable(setting('mailTable')),
    members: memberLookupIn(dynamodbTable(setting('directoryTable'))),
    webSocketSender: apiGatewayWebSocketSender(setting('webSocketManagementUrl')),
    deliveryQueue: sqsQueue(setting('pushDeliveryQueueUrl')),
    waitQueue: sqsQueues(),
    clock: systemClock,
    random: Math.random,
    log: logFor('notify'),
  }),
);
