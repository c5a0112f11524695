import { status } from '../../contract/admin/status.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { region } from '../platform/region.ts';
import { cloudWatchMetrics } from '../providers/cloudwatch-metrics.ts';
import { lambdaConcurrency } from '../providers/lambda-concurrency.ts';
import { sesEmailProvider } from '../providers/ses.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { statusMethods } from './methods.ts';

const connections = adminConnections(status.name, directoryTable());

/** Also answers what no route matches: not_found, behind the same gate. */
export const handler = serve(status, statusMethods({
  emailProvider: sesEmailProvider(), concurrency: lambdaConcurrency(), metrics: cloudWatchMetrics(), clock: systemClock, region: region(), log: connections.log,
}), connections);
