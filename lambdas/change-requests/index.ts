import { changeRequests } from '../../contract/admin/change-requests.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { changeRequestsMethods } from './methods.ts';

export const handler = serve(changeRequests, changeRequestsMethods(), adminConnections(changeRequests.name, directoryTable()));
