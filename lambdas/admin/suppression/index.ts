import { suppression } from '../../../contract/admin/suppression.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { suppressionsIn } from '../../../core/sending/feedback/suppressions.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { suppressionService } from './suppression-service.ts';

const connections = { suppressions: suppressionsIn(dynamodbTable(setting('sendingTable'))), clock: systemClock };

/** The Lambda of /suppression. */
export const handler = invoked(
  serve(suppression, suppressionService(connections), adminDependencies(suppression.name, dynamodbTable(setting('directoryTable')))),
);
