import { suppression } from '../../contract/admin/suppression.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { sendingTable } from '../store/sending/sending-table.ts';
import { suppressionsIn } from '../store/sending/suppressions.ts';
import { suppressionMethods } from './methods.ts';

export const handler = serve(suppression, suppressionMethods({ suppressions: suppressionsIn(sendingTable()), clock: systemClock }), adminConnections(suppression.name, directoryTable()));
