import { audit } from '../../../contract/admin/audit.ts';
import { auditEntriesIn } from '../../../core/directory/audit-log.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { auditService } from './audit-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const connections = { entries: auditEntriesIn(directory, systemClock) };

/** The Lambda of /audit. */
export const handler = invoked(serve(audit, auditService(connections), adminDependencies(audit.name, directory)));
