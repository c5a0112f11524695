import { supportRolesContract } from '../../../port-suites/support-roles-suite.ts';
import { memorySupportRoles } from '../../../fakes/support-roles.ts';

describe('support roles in memory', () => {
  supportRolesContract(async () => ({ roles: memorySupportRoles(), principal: 'arn:aws:iam::111122223333:root' }));
});
