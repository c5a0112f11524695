import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import { logFor } from '../platform/log.ts';
import { apiGatewaySockets } from '../providers/api-gateway-sockets.ts';
import { sqsQueue } from '../providers/sqs.ts';
import { audienceIn } from '../store/directory/audience.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { dynamodbTable } from '../store/dynamodb-table.ts';
import { notifyBatch } from './notify.ts';

/** What the streams of the mail table and of the directory bring. */
export const handler = notifyBatch({
  mail: dynamodbTable(configured('mailTable')),
  audience: audienceIn(directoryTable()),
  sockets: apiGatewaySockets(configured('webSocketManagementUrl')),
  webPushes: sqsQueue(configured('webPushQueueUrl')),
  now: systemClock,
  log: logFor('notify'),
});
