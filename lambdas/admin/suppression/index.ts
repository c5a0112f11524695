import { suppression } from '../../../contract/admin/suppression.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { adminConnections } from '../../../core/rpc/admin-connections.ts';
import { directoryTable } from '../../../core/directory/directory-table.ts';
import { setting } from '../../../core/runtime/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb-table.ts';
import { suppressionsIn } from '../../../core/sending/suppressions.ts';
import { suppressionMethods } from './methods.ts';

export const handler = serve(suppression, suppressionMethods({ suppressions: suppressionsIn(dynamodbTable(setting('sendingTable'))), clock: systemClock }), adminConnections(suppression.name, directoryTable()));
