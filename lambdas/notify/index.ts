import { systemClock } from '../../core/runtime/clock.ts';
import { setting } from '../../core/runtime/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { apiGatewayWebSocketSender } from '../../core/aws/api-gateway/api-gateway-web-socket-sender.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { audienceIn } from '../../core/directory/audience.ts';
import { directoryTable } from '../../core/directory/directory-table.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { notifyBatch } from './notify-batch.ts';

/** Handles records of the streams of the mail table and of the directory. */
export const handler = notifyBatch({
  mail: dynamodbTable(setting('mailTable')),
  audience: audienceIn(directoryTable()),
  webSocketSender: apiGatewayWebSocketSender(setting('webSocketManagementUrl')),
  webPushQueue: sqsQueue(setting('webPushQueueUrl')),
  clock: systemClock,
  log: logFor('notify'),
});
