import { parseSupportRoleArns } from '../../core/aws/iam-support-roles.ts';
import { sqsMessageSource } from '../../core/aws/sqs-queue.ts';
import { roleAssumptionsIn } from '../../core/directory/role-assumptions.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { consumeOrDrain } from '../../core/runtime/lambda/queue-drain.ts';
import { consumeQueue } from '../../core/runtime/lambda/queue.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { archiveRoleAssumption, type CloudTrailEvent } from './archive-role-assumption.ts';

const log = logFor('role-assumptions');
const archive = archiveRoleAssumption({
  archive: roleAssumptionsIn(dynamodbTable(setting('directoryTable'))),
  roleArns: Object.values(parseSupportRoleArns(setting('supportRoles'))),
  log,
});

const archiveMessage = (body: string) => {
  const event: CloudTrailEvent = JSON.parse(body);
  return archive(event);
};

const consume = consumeQueue(archiveMessage, { log });

/** Each message of the queue is an EventBridge event: an assumption of a support role. */
export const handler = invoked(consumeOrDrain(consume, { source: sqsMessageSource(setting('drainedQueueUrl')), timeForBatch: 10_000 }));
