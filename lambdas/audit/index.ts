import { audit } from '../../contract/admin/audit.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { auditEntriesIn } from '../store/directory/audit-log.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { auditMethods } from './methods.ts';

const directory = directoryTable();

export const handler = serve(audit, auditMethods({ entries: auditEntriesIn(directory, systemClock) }), adminConnections(audit.name, directory));
