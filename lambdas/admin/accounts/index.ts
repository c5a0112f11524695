import { accounts } from '../../../contract/admin/accounts.ts';
import { sqsQueue } from '../../../core/aws/sqs/sqs-queue.ts';
import { accountRemovalsIn } from '../../../core/directory/accounts/account-removals.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { domainsIn } from '../../../core/directory/domains/domains.ts';
import { membersIn } from '../../../core/directory/users/members.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import { accountSendLimitsIn, sendLimitsSetting } from '../../../core/mail-types/email-submission/account-send-limits.ts';
import { mailStore } from '../../../core/mail-types/mail-store/table-mail-store.ts';
import { quotaSetting } from '../../../core/mail-types/quota/account-quota.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { optionalSetting, setting } from '../../../core/runtime/lambda/settings.ts';
import { suppressionsIn } from '../../../core/sending/feedback/suppressions.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { accountsService } from './accounts-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const mailTable = dynamodbTable(setting('mailTable'));

export const handler = serve(accounts, accountsService({
  accounts: accountsIn(directory),
  members: membersIn(directory),
  removals: accountRemovalsIn(directory),
  removalQueue: sqsQueue(setting('accountRemovalQueueUrl')),
  users: usersIn(directory),
  domains: domainsIn(directory),
  mailStore: mailStore({ table: mailTable, quotaDefaults: quotaSetting() }),
  suppressions: suppressionsIn(dynamodbTable(setting('sendingTable'))),
  sendLimits: accountSendLimitsIn(mailTable, sendLimitsSetting()),
  headlessClientIds: optionalSetting('headlessClientIds')?.split(' ') ?? [],
  newId,
  clock: systemClock,
}), adminDependencies(accounts.name, directory));
