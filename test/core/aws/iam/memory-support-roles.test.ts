import { supportRolesSuite } from '../../../port-suites/support-roles-suite.ts';
import { memorySupportRoles } from '../../../fakes/memory-support-roles.ts';

describe('support roles in memory', () => {
  supportRolesSuite(async () => ({ roles: memorySupportRoles(), principal: 'arn:aws:iam::111122223333:root' }));
});
