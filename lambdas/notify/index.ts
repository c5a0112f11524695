import { systemClock } from '../../core/runtime/clock.ts';
import { setting } from '../../core/runtime/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { apiGatewaySockets } from '../../core/aws/api-gateway/api-gateway-sockets.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { audienceIn } from '../../core/directory/audience.ts';
import { directoryTable } from '../../core/directory/directory-table.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { notifyBatch } from './notify.ts';

/** What the streams of the mail table and of the directory bring. */
export const handler = notifyBatch({
  mail: dynamodbTable(setting('mailTable')),
  audience: audienceIn(directoryTable()),
  sockets: apiGatewaySockets(setting('webSocketManagementUrl')),
  webPushes: sqsQueue(setting('webPushQueueUrl')),
  now: systemClock,
  log: logFor('notify'),
});
