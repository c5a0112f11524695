import { configured } from '../platform/configuration.ts';
import { logFor } from '../platform/log.ts';
import { supportRoleArns } from '../providers/role-arns.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { roleAssumptionsIn } from '../store/directory/role-assumptions.ts';
import { archiveAssumption } from './archive.ts';

/** Each event of the rule is an assumption of a support role. EventBridge and Lambda try again what fails, and keep what fails for good. */
export const handler = archiveAssumption({
  archive: roleAssumptionsIn(directoryTable()),
  roleArns: Object.values(supportRoleArns(configured('supportRoles'))),
  log: logFor('role-assumptions'),
});
