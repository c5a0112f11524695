import { changeRequests } from '../../contract/admin/change-requests.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { region } from '../platform/region.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { changeRequestsIn } from '../store/directory/change-requests.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { changeRequestsMethods } from './methods.ts';

const directory = directoryTable();
const requests = changeRequestsIn(directory, { newId, clock: systemClock });

export const handler = serve(changeRequests, changeRequestsMethods({ requests, region: region(), clock: systemClock }), adminConnections(changeRequests.name, directory));
