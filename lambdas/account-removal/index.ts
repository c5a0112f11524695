import { cognitoIdentityProvider } from '../../core/aws/cognito-identity-provider.ts';
import { sqsMessageSource, sqsQueue } from '../../core/aws/sqs-queue.ts';
import { accountRemovalsIn } from '../../core/directory/accounts/account-removals.ts';
import { auditTrailIn } from '../../core/directory/audit-log.ts';
import { membersIn } from '../../core/directory/users/members.ts';
import { userRemovalsIn } from '../../core/directory/users/user-removals.ts';
import { usersIn } from '../../core/directory/users/users.ts';
import { mailRemovalIn } from '../../core/mail/mail-store/mail-removal.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { newId } from '../../core/runtime/ids.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { consumeOrDrain } from '../../core/runtime/lambda/queue-drain.ts';
import { consumeQueue } from '../../core/runtime/lambda/queue.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { enqueueEndedAccounts, removeAccount, type RemovalDependencies, type RemovalTask } from './remove-account.ts';
import { removeUsers, type UserRemovalDependencies } from './remove-users.ts';

/** Milliseconds of work on one message. After that, the remaining work is enqueued. */
const workFor = 30_000;

const directory = dynamodbTable(setting('directoryTable'));
const log = logFor('account-removal');
const dependencies: RemovalDependencies = {
  removals: accountRemovalsIn(directory),
  mail: mailRemovalIn(dynamodbTable(setting('mailTable'))),
  objects: s3Objects(setting('mailBucket')),
  queue: sqsQueue(setting('accountRemovalQueueUrl')),
  trail: auditTrailIn(directory),
  newId,
  clock: systemClock,
};

const handleTask = async (body: string): Promise<void> => {
  const task: RemovalTask = JSON.parse(body);
  await removeAccount(dependencies, task, new Date(systemClock().getTime() + workFor));
  log.info('removal processed', { account_id: task.accountId, is_final_check: task.isLastLook === true });
};

const users: UserRemovalDependencies = {
  userRemovals: userRemovalsIn(directory),
  users: usersIn(directory, systemClock),
  members: membersIn(directory),
  identityProvider: cognitoIdentityProvider(setting('userPoolId')),
  trail: dependencies.trail,
  newId,
  clock: systemClock,
};

const sweep = async (): Promise<void> => {
  const accounts = await enqueueEndedAccounts(dependencies);
  log.info('deleted accounts and users swept', { accounts, users: await removeUsers(users) });
};

/**
 * Removes the account in each message. A daily event enqueues and removes the accounts and users that can no longer be
 * restored.
 */
export const handler = invoked(
  consumeOrDrain(consumeQueue(handleTask, { log }), { source: sqsMessageSource(setting('drainedQueueUrl')), timeForBatch: workFor + 30_000, sweep }),
);
