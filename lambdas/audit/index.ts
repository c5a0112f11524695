import { audit } from '../../contract/admin/audit.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections, directoryTable } from '../store/directory/admin-connections.ts';
import { auditMethods } from './methods.ts';

export const handler = serve(audit, auditMethods(), adminConnections(audit.name, directoryTable()));
