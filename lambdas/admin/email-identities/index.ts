import { emailIdentities } from '../../../contract/admin/email-identities.ts';
import { sesSenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import { emailIdentitiesIn } from '../../../core/directory/domains/email-identities.ts';
import { providerPositionsIn } from '../../../core/directory/provider-positions.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { emailIdentitiesService } from './email-identities-service.ts';

const directory = dynamodbTable(setting('directoryTable'));

export const handler = invoked(
  serve(
    emailIdentities,
    emailIdentitiesService({
      identities: emailIdentitiesIn(directory),
      positions: providerPositionsIn(directory, systemClock),
      senderAddresses: sesSenderAddresses(setting('deployment')),
      clock: systemClock,
    }),
    adminDependencies(emailIdentities.name, directory),
  ),
);
