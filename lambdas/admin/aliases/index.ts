import { aliases } from '../../../contract/admin/aliases.ts';
import { aliasesIn } from '../../../core/directory/aliases.ts';
import { aliasIdentitiesIn } from '../../../core/directory/alias-identities.ts';
import { domainsIn } from '../../../core/directory/domains.ts';
import { storedAccountIdentities } from '../../../core/mail/table-mail-store.ts';
import { adminConnections } from '../../../core/rpc/admin-connections.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { setting } from '../../../core/runtime/settings.ts';
import { suppressionsIn } from '../../../core/sending/suppressions.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb-table.ts';
import { aliasesService } from './aliases-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const identities = storedAccountIdentities(dynamodbTable(setting('mailTable')));

const suppressions = suppressionsIn(dynamodbTable(setting('sendingTable')));

export const handler = serve(aliases, aliasesService({
  aliases: aliasesIn(directory, aliasIdentitiesIn(directory, identities), suppressions),
  domains: domainsIn(directory),
  newId,
  clock: systemClock,
}), adminConnections(aliases.name, directory));
