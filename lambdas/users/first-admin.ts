import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import { customResource } from '../platform/custom-resource.ts';
import { newId } from '../platform/ids.ts';
import { cognitoIdentityProvider } from '../providers/cognito.ts';
import { auditTrailIn } from '../store/directory/audit-log.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { usersIn } from '../store/directory/users.ts';
import { appointFirstAdmin } from './appoint-first-admin.ts';

const directory = directoryTable();
const stores = {
  users: usersIn(directory),
  identityProvider: cognitoIdentityProvider(configured('userPoolId')),
  audit: { trail: auditTrailIn(directory), newId, clock: systemClock },
  newId,
  clock: systemClock,
};

/** Custom resource with the property `email`. Taking it out of the stack takes nobody's rights away. */
export const handler = customResource('first-admin', async (event) => {
  if (event.RequestType !== 'Delete') await appointFirstAdmin(stores, event.ResourceProperties['email']);
  return { physicalId: 'first-admin' };
});
