import { aliases } from '../../../contract/admin/aliases.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { adminConnections } from '../../../core/rpc/admin-connections.ts';
import { aliasesIn } from '../../../core/directory/aliases.ts';
import { directoryTable } from '../../../core/directory/directory-table.ts';
import { domainsIn } from '../../../core/directory/domains.ts';
import { aliasesService } from './aliases-service.ts';

const directory = directoryTable();

export const handler = serve(aliases, aliasesService({
  aliases: aliasesIn(directory), domains: domainsIn(directory), newId, clock: systemClock,
}), adminConnections(aliases.name, directory));
