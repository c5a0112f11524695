import { sesBounceSender } from '../../core/aws/ses/ses-bounce-sender.ts';
import { sqsQueues, sqsReturn } from '../../core/aws/sqs-queue.ts';
import { addressesIn } from '../../core/directory/aliases/addresses.ts';
import { forwardingsIn } from '../../core/directory/forwarding/forwardings.ts';
import { groupReceiversIn } from '../../core/directory/groups/group-receivers.ts';
import { groupsIn } from '../../core/directory/groups/groups.ts';
import { sendLimitsSetting } from '../../core/mail/account-send-limits.ts';
import { receivedMessagesIn } from '../../core/mail/delivery/received-messages.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { quotaSetting } from '../../core/mail/quota/account-quota.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { recoverableSecondsSetting, setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { submitQueueOver } from '../../core/sending/submission/submit-queue.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { storedSecret } from '../../core/storage/stored-secret.ts';
import { copyMarks } from './copy-marks.ts';
import { deliverBatch } from './deliver-batch.ts';
import { vacationDependencies } from './vacation/send-vacation-response.ts';

const directoryTable = dynamodbTable(setting('directoryTable'));
const mailTable = dynamodbTable(setting('mailTable'));
const sendingTable = dynamodbTable(setting('sendingTable'));
const queueAt = sqsQueues();
const shared = { objects: s3Objects(setting('mailBucket')), clock: systemClock, log: logFor('deliver') };

/** Delivers the messages that SES has stored. Records of the inbound queue announce them. */
export const handler = invoked(
  deliverBatch({
    addresses: addressesIn(directoryTable),
    groupReceivers: groupReceiversIn(directoryTable),
    groups: groupsIn(directoryTable),
    forwardings: forwardingsIn(directoryTable),
    sendLimits: sendLimitsSetting(),
    mayForwardOutside: setting('forwardOutside') === 'true',
    recoverableSeconds: recoverableSecondsSetting(),
    jmapUrl: setting('jmapUrl'),
    ...shared,
    mailStore: mailStore({ table: mailTable, quotaDefaults: quotaSetting() }),
    mailTable,
    bounces: sesBounceSender(),
    queue: queueAt(setting('inboundQueueUrl')),
    received: receivedMessagesIn(sendingTable),
    copyMarks: copyMarks(storedSecret(mailTable, 'copy-mark'), systemClock),
    signInMailFrom: setting('signInMailFrom'),
    recordsSubjects: setting('recordSubjects') === 'true',
    returnToQueue: sqsReturn(setting('inboundQueueUrl')),
    deadLetters: queueAt(setting('inboundDeadLettersUrl')),
    vacation: vacationDependencies({ ...shared, directoryTable, sendingTable, queue: submitQueueOver(queueAt(setting('submitQueueUrl'))) }),
  }),
);
