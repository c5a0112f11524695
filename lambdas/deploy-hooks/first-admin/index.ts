import { sessionPath } from '../../../contract/jmap/discovery.ts';
import { cognitoIdentityProvider } from '../../../core/aws/cognito-identity-provider.ts';
import { receivesMailIn } from '../../../core/directory/aliases/receiving-addresses.ts';
import { auditTrailIn } from '../../../core/directory/audit-log.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { customResource } from '../../../core/runtime/lambda/custom-resource.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { appointFirstAdmin } from './appoint-first-admin.ts';

const directory = dynamodbTable(setting('directoryTable'));
const connections = {
  users: usersIn(directory, systemClock),
  identityProvider: cognitoIdentityProvider(setting('userPoolId')),
  receivesMail: receivesMailIn(directory),
  invitation: { sessionUrl: `${setting('jmapUrl')}${sessionPath}`, consoleUrl: setting('consoleUrl') },
  audit: { trail: auditTrailIn(directory), newId, clock: systemClock },
  newId,
  clock: systemClock,
};

/** The custom resource with the property `email`. Deleting the resource changes no user. */
export const handler = invoked(
  customResource('first-admin', async (event) => {
    if (event.RequestType !== 'Delete') await appointFirstAdmin(connections, event.ResourceProperties['email']);
    return { physicalId: 'first-admin' };
  }),
);
