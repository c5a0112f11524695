import { auditTrailIn } from '../directory/audit-log.ts';
import { adminProtectionIn } from '../directory/users/admin-protection.ts';
import { usersIn } from '../directory/users/users.ts';
import { systemClock } from '../runtime/clock.ts';
import { accessTokenVerifier } from '../runtime/http/access-token.ts';
import { newId } from '../runtime/ids.ts';
import { setting } from '../runtime/lambda/settings.ts';
import { logFor } from '../runtime/log.ts';
import { storedSecret } from '../storage/stored-secret.ts';
import type { Table } from '../storage/table.ts';
import { adminGate, findPersonIn } from './admin-gate.ts';
import type { PipeDependencies } from './admin-pipe.ts';
import { pageTokens } from './page-token.ts';

/** The dependencies that the pipes of all admin services share. */
export const adminDependencies = (serviceName: string, directory: Table): PipeDependencies => {
  return {
    gate: adminGate(accessTokenVerifier(), findPersonIn(usersIn(directory, systemClock))),
    pageTokens: pageTokens(storedSecret(directory, 'page-token'), setting('userPoolId')),
    audit: { trail: auditTrailIn(directory), newId, clock: systemClock },
    protection: adminProtectionIn(directory),
    log: logFor(serviceName),
  };
};
