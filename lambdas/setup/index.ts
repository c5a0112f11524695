import { setup } from '../../contract/admin/setup.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { setupMethods } from './methods.ts';

export const handler = serve(setup, setupMethods(), adminConnections(setup.name, directoryTable()));
