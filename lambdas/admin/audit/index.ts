import { audit } from '../../../contract/admin/audit.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { adminConnections } from '../../../core/rpc/admin-connections.ts';
import { auditEntriesIn } from '../../../core/directory/audit-log.ts';
import { directoryTable } from '../../../core/directory/directory-table.ts';
import { auditMethods } from './methods.ts';

const directory = directoryTable();

export const handler = serve(audit, auditMethods({ entries: auditEntriesIn(directory, systemClock) }), adminConnections(audit.name, directory));
