import { identityTasksIn } from '../../core/directory/aliases/identity-tasks.ts';
import { storedAccountIdentities } from '../../core/mail/mail-store/table-mail-store.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked, withinInvocation, type InvocationContext } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { accountSync } from './sync-account.ts';
import { syncIdentities, type SyncDependencies } from './sync-identities.ts';

const directory = dynamodbTable(setting('directoryTable'));

const dependencies: SyncDependencies = {
  directory,
  tasks: identityTasksIn(directory),
  syncAccount: accountSync(directory, storedAccountIdentities(dynamodbTable(setting('mailTable')))),
  clock: systemClock,
  log: logFor('identity-sync'),
};

/** Runs on a schedule; the event is ignored. */
export const handler = invoked((_event: unknown, context: InvocationContext): Promise<void> => withinInvocation(context, () => syncIdentities(dependencies)));
