import { aliases } from '../../contract/admin/aliases.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { aliasesMethods } from './methods.ts';

export const handler = serve(aliases, aliasesMethods(), adminConnections(aliases.name, directoryTable()));
