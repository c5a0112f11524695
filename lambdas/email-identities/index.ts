import { emailIdentities } from '../../contract/admin/email-identities.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { sesSenderAddresses } from '../providers/ses-sender-addresses.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { emailIdentitiesIn } from '../store/directory/email-identities.ts';
import { providerPositionsIn } from '../store/directory/provider-positions.ts';
import { emailIdentitiesMethods } from './methods.ts';

const directory = directoryTable();

export const handler = serve(emailIdentities, emailIdentitiesMethods({
  identities: emailIdentitiesIn(directory),
  positions: providerPositionsIn(directory, systemClock),
  senderAddresses: sesSenderAddresses(),
  clock: systemClock,
}), adminConnections(emailIdentities.name, directory));
