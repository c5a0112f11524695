import { accessTokenVerifier } from '../../platform/access-token.ts';
import { adminGate } from '../../platform/admin-gate.ts';
import type { PipeConnections } from '../../platform/admin-pipe.ts';
import { systemClock } from '../../platform/clock.ts';
import { configured } from '../../platform/configuration.ts';
import { newId } from '../../platform/ids.ts';
import { logFor } from '../../platform/log.ts';
import { pageTokens } from '../../platform/page-token.ts';
import { secretReader } from '../../platform/secret.ts';
import type { Table } from '../table.ts';
import { auditTrailIn } from './audit-log.ts';
import { maySignIn, usersIn } from './users.ts';

/** What every admin service is served with: tokens of the configured user pool, people of the directory, page tokens of this deployment. */
export const adminConnections = (serviceName: string, directory: Table): PipeConnections => {
  const users = usersIn(directory);
  const findPerson = async (userId: string) => {
    const user = await users.find(userId);
    return user && { isActive: maySignIn(user), isAdmin: user.is_admin, email: user.primary_email };
  };
  return {
    gate: adminGate(accessTokenVerifier(), findPerson),
    pageTokens: pageTokens(secretReader(configured('pageTokenSecretArn')), configured('userPoolId')),
    audit: { trail: auditTrailIn(directory), newId, clock: systemClock },
    log: logFor(serviceName),
  };
};
