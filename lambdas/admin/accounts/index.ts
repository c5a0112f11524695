import { randomBytes } from 'node:crypto';
import { accounts } from '../../../contract/admin/accounts.ts';
import { sqsQueue } from '../../../core/aws/sqs-queue.ts';
import { accountRemovalsIn } from '../../../core/directory/accounts/account-removals.ts';
import { accountRestorationsIn } from '../../../core/directory/accounts/account-restorations.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { aliasIdentitiesIn } from '../../../core/directory/aliases/alias-identities.ts';
import { findAliasIn } from '../../../core/directory/aliases/aliases.ts';
import { sendingRightsIn } from '../../../core/directory/aliases/may-send.ts';
import { domainsIn } from '../../../core/directory/domains/domains.ts';
import { emailIdentitiesIn } from '../../../core/directory/domains/email-identities.ts';
import { forwardingsIn } from '../../../core/directory/forwarding/forwardings.ts';
import { groupReceiversIn } from '../../../core/directory/groups/group-receivers.ts';
import { groupsIn } from '../../../core/directory/groups/groups.ts';
import { findSimilarIn } from '../../../core/directory/similar.ts';
import { membersIn } from '../../../core/directory/users/members.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import { accountSendLimitsIn, sendLimitsSetting } from '../../../core/mail/account-send-limits.ts';
import { mailStore, storedAccountIdentities } from '../../../core/mail/mail-store/table-mail-store.ts';
import { quotaSetting } from '../../../core/mail/quota/account-quota.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { recoverableSecondsSetting, optionalSetting, setting } from '../../../core/runtime/lambda/settings.ts';
import { logFor } from '../../../core/runtime/log.ts';
import { suppressionsIn } from '../../../core/sending/feedback/suppressions.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../../core/storage/s3/s3-objects.ts';
import { accountsService } from './accounts-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const mailTable = dynamodbTable(setting('mailTable'));
const objects = s3Objects(setting('mailBucket'));
const quotaDefaults = quotaSetting();
const store = mailStore({ table: mailTable, quotaDefaults, snapshots: { objects, log: logFor('accounts') } });

/** `client_id=name`, separated by spaces. */
const headlessClients = new Map(
  optionalSetting('headlessClients')
    ?.split(' ')
    .map((client): readonly [string, string] => {
      const [name = '', id = ''] = client.split('=');
      return [name, id];
    }),
);

export const handler = invoked(
  serve(
    accounts,
    accountsService({
      accounts: accountsIn(directory),
      members: membersIn(directory, headlessClients),
      removals: accountRemovalsIn(directory),
      removalQueue: sqsQueue(setting('accountRemovalQueueUrl')),
      users: usersIn(directory, systemClock),
      domains: domainsIn(directory),
      restorations: accountRestorationsIn(directory, aliasIdentitiesIn(directory, storedAccountIdentities(mailTable))),
      recoverableSeconds: recoverableSecondsSetting(),
      mailStore: store,
      destroyedMail: {
        table: mailTable,
        store,
        quotaDefaults,
        newId: () => randomBytes(12).toString('base64url'),
        removals: sqsQueue(setting('mailCleanupQueueUrl')),
        clock: systemClock,
      },
      addresses: addressesIn(directory),
      forwardings: forwardingsIn(directory),
      groups: groupsIn(directory),
      groupReceivers: groupReceiversIn(directory),
      aliases: { find: findAliasIn(directory) },
      identities: emailIdentitiesIn(directory),
      rights: sendingRightsIn(directory),
      suppressions: suppressionsIn(dynamodbTable(setting('sendingTable'))),
      sendLimits: accountSendLimitsIn(mailTable, sendLimitsSetting()),
      findSimilar: findSimilarIn(directory),
      newId,
      clock: systemClock,
    }),
    adminDependencies(accounts.name, directory),
  ),
);
