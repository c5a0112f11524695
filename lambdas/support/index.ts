import { support } from '../../contract/admin/support.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { configured, configuredOrNot } from '../platform/configuration.ts';
import { newId } from '../platform/ids.ts';
import { logFor } from '../platform/log.ts';
import { region } from '../platform/region.ts';
import { cloudTrailLookup } from '../providers/cloudtrail-lookup.ts';
import { iamSupportRoles } from '../providers/iam-support-roles.ts';
import { supportRoleArns } from '../providers/role-arns.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { roleAssumptionsIn } from '../store/directory/role-assumptions.ts';
import { supportCasesIn } from '../store/directory/support-cases.ts';
import { supportMethods } from './methods.ts';

const directory = directoryTable();
const arns = supportRoleArns(configured('supportRoles'));
const methods = supportMethods({
  cases: supportCasesIn(directory),
  roles: iamSupportRoles(arns),
  supporters: { principals: configuredOrNot('supportPrincipals')?.split(' ') ?? [], region: region() },
  archive: roleAssumptionsIn(directory),
  lookup: cloudTrailLookup(),
  roleArns: Object.values(arns),
  newId,
  clock: systemClock,
  log: logFor(support.name),
});

export const handler = serve(support, methods, adminConnections(support.name, directory));
