import { emailIdentities } from '../../contract/admin/email-identities.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections, directoryTable } from '../store/directory/admin-connections.ts';
import { emailIdentitiesMethods } from './methods.ts';

export const handler = serve(emailIdentities, emailIdentitiesMethods(), adminConnections(emailIdentities.name, directoryTable()));
