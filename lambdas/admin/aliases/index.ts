import { aliases } from '../../../contract/admin/aliases.ts';
import { sqsQueue } from '../../../core/aws/sqs-queue.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { aliasIdentitiesIn } from '../../../core/directory/aliases/alias-identities.ts';
import { aliasMovesIn } from '../../../core/directory/aliases/alias-moves.ts';
import { aliasesIn } from '../../../core/directory/aliases/aliases.ts';
import { catchAllsIn } from '../../../core/directory/aliases/catch-alls.ts';
import { domainsIn } from '../../../core/directory/domains/domains.ts';
import { findForwardTargets } from '../../../core/directory/forwarding/forward-targets.ts';
import { forwardingsIn } from '../../../core/directory/forwarding/forwardings.ts';
import { groupReceiversIn } from '../../../core/directory/groups/group-receivers.ts';
import { groupsIn } from '../../../core/directory/groups/groups.ts';
import { adminProtectionIn } from '../../../core/directory/users/admin-protection.ts';
import { storedAccountIdentities } from '../../../core/mail/mail-store/table-mail-store.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { suppressionsIn } from '../../../core/sending/feedback/suppressions.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { aliasesService } from './aliases-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const identities = aliasIdentitiesIn(directory, storedAccountIdentities(dynamodbTable(setting('mailTable'))));

const addresses = addressesIn(directory);
const mayForwardOutside = setting('forwardOutside') === 'true';

const suppressions = suppressionsIn(dynamodbTable(setting('sendingTable')));

export const handler = invoked(
  serve(
    aliases,
    aliasesService({
      accounts: accountsIn(directory),
      aliases: aliasesIn(directory, identities, suppressions),
      aliasMoves: aliasMovesIn(directory, identities),
      addresses,
      groups: groupsIn(directory),
      catchAlls: catchAllsIn(directory),
      forwardings: forwardingsIn(directory),
      findForwardTargets: (accountId, emails) => findForwardTargets(directory, accountId, emails, { addresses, mayForwardOutside }),
      mayForwardOutside,
      inboundQueue: sqsQueue(setting('inboundQueueUrl')),
      suppressions,
      groupReceivers: groupReceiversIn(directory),
      protection: adminProtectionIn(directory),
      domains: domainsIn(directory),
      newId,
      clock: systemClock,
    }),
    adminDependencies(aliases.name, directory),
  ),
);
