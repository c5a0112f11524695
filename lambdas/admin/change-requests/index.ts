import { changeRequests } from '../../../contract/admin/change-requests.ts';
import { changeRequestsIn } from '../../../core/directory/change-requests/change-requests.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { region, setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { changeRequestsService } from './change-requests-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const requests = changeRequestsIn(directory, { newId, clock: systemClock });

/** The Lambda of /change-requests. */
export const handler = invoked(
  serve(changeRequests, changeRequestsService({ requests, region: region(), clock: systemClock }), adminDependencies(changeRequests.name, directory)),
);
