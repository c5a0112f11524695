import { setting } from '../../core/runtime/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/queue-consumer.ts';
import { supportRoleArns } from '../../core/aws/iam/support-role-arns.ts';
import { directoryTable } from '../../core/directory/directory-table.ts';
import { roleAssumptionsIn } from '../../core/directory/role-assumptions.ts';
import { archiveAssumption, type TrailEvent } from './archive.ts';

/** Milliseconds that keeping one assumption may take. */
const timeForOne = 3_000;

const log = logFor('role-assumptions');
const archive = archiveAssumption({
  archive: roleAssumptionsIn(directoryTable()),
  roleArns: Object.values(supportRoleArns(setting('supportRoles'))),
  log,
});

/** Each message is an event of the rule: an assumption of a support role. */
export const handler = consumeQueue((body) => archive(JSON.parse(body) as TrailEvent), { log, timeForOne });
