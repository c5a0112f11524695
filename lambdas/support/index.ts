import { support } from '../../contract/admin/support.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { supportMethods } from './methods.ts';

export const handler = serve(support, supportMethods(), adminConnections(support.name, directoryTable()));
