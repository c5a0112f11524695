import { logFor } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/queue.ts';
import { parseSupportRoleArns } from '../../core/aws/iam/support-roles.ts';
import { roleAssumptionsIn } from '../../core/directory/role-assumptions.ts';
import { archiveAssumption, type TrailEvent } from './archive.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { setting } from '../../core/runtime/settings.ts';

/** Milliseconds that keeping one assumption may take. */
const timeForOne = 3_000;

const log = logFor('role-assumptions');
const archive = archiveAssumption({
  archive: roleAssumptionsIn(dynamodbTable(setting('directoryTable'))),
  roleArns: Object.values(parseSupportRoleArns(setting('supportRoles'))),
  log,
});

/** Each message is an event of the rule: an assumption of a support role. */
export const handler = consumeQueue((body) => archive(JSON.parse(body) as TrailEvent), { log, timeForOne });
