import { support } from '../../../contract/admin/support.ts';
import { cloudTrailAssumptionLookup } from '../../../core/aws/cloudtrail-assumption-lookup.ts';
import { iamSupportRoles, parseSupportRoleArns } from '../../../core/aws/iam-support-roles.ts';
import { roleAssumptionsIn } from '../../../core/directory/role-assumptions.ts';
import { supportCasesIn } from '../../../core/directory/support-cases.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { optionalSetting, region, setting } from '../../../core/runtime/lambda/settings.ts';
import { logFor } from '../../../core/runtime/log.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { supportService } from './support-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const arns = parseSupportRoleArns(setting('supportRoles'));
const methods = supportService({
  cases: supportCasesIn(directory),
  roles: iamSupportRoles(arns),
  supporters: { principals: optionalSetting('supportPrincipals')?.split(' ') ?? [], region: region() },
  archive: roleAssumptionsIn(directory),
  lookup: cloudTrailAssumptionLookup(),
  roleArns: Object.values(arns),
  newId,
  clock: systemClock,
  log: logFor(support.name),
});

export const handler = invoked(serve(support, methods, adminDependencies(support.name, directory)));
