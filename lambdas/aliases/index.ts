import { aliases } from '../../contract/admin/aliases.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { aliasesIn } from '../store/directory/aliases.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { domainsIn } from '../store/directory/domains.ts';
import { aliasesMethods } from './methods.ts';

const directory = directoryTable();

export const handler = serve(aliases, aliasesMethods({
  aliases: aliasesIn(directory), domains: domainsIn(directory), newId, clock: systemClock,
}), adminConnections(aliases.name, directory));
