import { suppression } from '../../contract/admin/suppression.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { suppressionMethods } from './methods.ts';

export const handler = serve(suppression, suppressionMethods(), adminConnections(suppression.name, directoryTable()));
