import { monitoring } from '../../contract/admin/monitoring.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections, directoryTable } from '../store/directory/admin-connections.ts';
import { monitoringMethods } from './methods.ts';

export const handler = serve(monitoring, monitoringMethods(), adminConnections(monitoring.name, directoryTable()));
