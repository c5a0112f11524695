import { audit } from '../../contract/admin/audit.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { auditMethods } from './methods.ts';

export const handler = serve(audit, auditMethods(), adminConnections(audit.name, directoryTable()));
