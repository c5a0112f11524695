import { changeRequests } from '../../../contract/admin/change-requests.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { region } from '../../../core/runtime/region.ts';
import { adminConnections } from '../../../core/rpc/admin-connections.ts';
import { changeRequestsIn } from '../../../core/directory/change-requests.ts';
import { directoryTable } from '../../../core/directory/directory-table.ts';
import { changeRequestsService } from './change-requests-service.ts';

const directory = directoryTable();
const requests = changeRequestsIn(directory, { newId, clock: systemClock });

export const handler = serve(changeRequests, changeRequestsService({ requests, region: region(), clock: systemClock }), adminConnections(changeRequests.name, directory));
