import { monitoring } from '../../contract/admin/monitoring.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { monitoringMethods } from './methods.ts';

export const handler = serve(monitoring, monitoringMethods(), adminConnections(monitoring.name, directoryTable()));
