import { emailIdentities } from '../../contract/admin/email-identities.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { emailIdentitiesMethods } from './methods.ts';

export const handler = serve(emailIdentities, emailIdentitiesMethods(), adminConnections(emailIdentities.name, directoryTable()));
