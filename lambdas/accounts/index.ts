import { accounts } from '../../contract/admin/accounts.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { configured, configuredOrNot } from '../platform/configuration.ts';
import { newId } from '../platform/ids.ts';
import { sqsQueue } from '../providers/sqs.ts';
import { accountRemovalsIn } from '../store/directory/account-removals.ts';
import { accountsIn } from '../store/directory/accounts.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { domainsIn } from '../store/directory/domains.ts';
import { membersIn } from '../store/directory/members.ts';
import { usersIn } from '../store/directory/users.ts';
import { dynamodbTable } from '../store/dynamodb-table.ts';
import { mailStore } from '../store/mail/table-mail-store.ts';
import { accountsMethods } from './methods.ts';

const directory = directoryTable();

export const handler = serve(accounts, accountsMethods({
  accounts: accountsIn(directory),
  members: membersIn(directory),
  removals: accountRemovalsIn(directory),
  removalQueue: sqsQueue(configured('accountRemovalQueueUrl')),
  users: usersIn(directory),
  domains: domainsIn(directory),
  mailStore: mailStore({ table: dynamodbTable(configured('mailTable')) }),
  headlessClientIds: configuredOrNot('headlessClientIds')?.split(' ') ?? [],
  newId,
  clock: systemClock,
}), adminConnections(accounts.name, directory));
