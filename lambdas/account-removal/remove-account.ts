import { hasEndedWaiting, removalSteps, type AccountRemovals, type Removal } from '../../core/directory/accounts/account-removals.ts';
import type { AuditTrail } from '../../core/directory/audit-log.ts';
import type { MailRemoval } from '../../core/mail/mail-store/mail-removal.ts';
import { openAudit, systemActor } from '../../core/rpc/audit.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { NewId } from '../../core/runtime/ids.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import { accountFolders } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Write } from '../../core/storage/table.ts';

/** A message of the queue: an account to remove, or a removed account whose folders must be checked once more. */
export type RemovalTask = { readonly accountId: string; readonly isLastLook?: boolean; readonly isErasure?: boolean };

export type RemovalDependencies = {
  readonly removals: AccountRemovals;
  readonly mail: MailRemoval;
  readonly objects: Pick<Objects, 'removeSome' | 'eraseSome'>;
  readonly queue: Queue;
  readonly trail: AuditTrail;
  readonly newId: NewId;
  readonly clock: Clock;
};

/** Items of mail that are removed between two checks of the deadline. */
const mailBatchSize = 500;

/**
 * Seconds until the final check. A delivery that began before the removal may store a message after the step that
 * removes messages, but ends within this time.
 */
const finalCheckDelay = 300;

const actor = systemActor('account-removal');

/** The writes of an audit entry about the progress of a removal, for operators. */
const progressWrites = async ({ trail, newId, clock }: RemovalDependencies, { accountId, name, step, removed }: Removal): Promise<readonly Write[]> => {
  // The audit entry for the removed mail follows later.
  if (step === 'waiting') return [];
  const audit = await openAudit({ trail, newId, clock }, 'accounts/DeleteAccount', actor, accountId);
  audit.describe({ entity_name: name, metadata: { removal: step === 'addresses' ? 'complete' : `${step} removed`, removed: String(removed) } });
  return audit.successWrites();
};

type RemovedObjects = Pick<Removal, 'accountId' | 'isErasure'>;

/** Removes objects of the account. For an erasure, it also removes all their versions. */
const removeObjects = async ({ objects }: Pick<RemovalDependencies, 'objects'>, { accountId, isErasure }: RemovedObjects): Promise<number> => {
  for (const folder of accountFolders(accountId)) {
    const removed = await objects[isErasure ? 'eraseSome' : 'removeSome'](folder);
    if (removed > 0) return removed;
  }
  return 0;
};

/** Runs a part of a step. @returns the number of items that it removed; 0 when the step is complete. */
const stepParts: { readonly [Step in Exclude<Removal['step'], 'restoring'>]: (dependencies: RemovalDependencies, removal: RemovedObjects) => Promise<number> } =
  {
    async access({ removals }, { accountId }) {
      await removals.closeAccess(accountId);
      return 0;
    },
    waiting: async () => 0,
    mail: ({ mail }, { accountId }) => mail.removeSome(accountId, mailBatchSize),
    objects: removeObjects,
    addresses: ({ removals }, { accountId }) => removals.removeAddresses(accountId),
  };

const completeStep = async (dependencies: RemovalDependencies, removal: Removal): Promise<void> => {
  const { removals, queue } = dependencies;
  const additionalWrites = await progressWrites(dependencies, removal);
  const next = removalSteps[removalSteps.findIndex((step) => step === removal.step) + 1];
  if (next) return removals.recordProgress(removal, { step: next, removed: 0 }, additionalWrites);
  await queue.send({ accountId: removal.accountId, isLastLook: true, ...(removal.isErasure && { isErasure: true }) } satisfies RemovalTask, finalCheckDelay);
  await removals.finish(removal, additionalWrites);
};

/**
 * Continues a removal until it is complete or the deadline has passed. Then it enqueues the remaining work. Every step
 * is idempotent, so the next run continues an interrupted one, and concurrent runs do no harm.
 */
export const removeAccount = async (
  dependencies: RemovalDependencies,
  { accountId, isLastLook, isErasure = false }: RemovalTask,
  deadline: Date,
): Promise<void> => {
  const { removals, queue, clock } = dependencies;
  if (isLastLook) {
    while ((await removeObjects(dependencies, { accountId, isErasure })) > 0) {
      if (clock() > deadline) return queue.send({ accountId, isLastLook, ...(isErasure && { isErasure }) } satisfies RemovalTask);
    }
    return;
  }
  for (let removal = await removals.find(accountId); removal; removal = await removals.find(accountId)) {
    const { step } = removal;
    // While the account can be restored, the removal stops here. The sweep continues it later.
    if (step === 'restoring' || (step === 'waiting' && !hasEndedWaiting(removal, clock()))) return;
    let { removed } = removal;
    for (let removedNow = -1; removedNow !== 0;) {
      removedNow = await stepParts[step](dependencies, removal);
      removed += removedNow;
      if (removedNow > 0 && clock() > deadline) {
        await removals.recordProgress(removal, { step, removed }, []);
        return queue.send({ accountId } satisfies RemovalTask);
      }
    }
    await completeStep(dependencies, { ...removal, removed });
  }
};

/** Maximum removals of one read. */
const removalsAtOnce = 100;

/** Enqueues the deleted accounts that can no longer be restored, or whose access is not closed. @returns the number of accounts. */
export const enqueueEndedAccounts = async ({ removals, queue, clock }: RemovalDependencies): Promise<number> => {
  let enqueued = 0;
  for (let after: string | undefined; ;) {
    const { items, next } = await removals.list(after, removalsAtOnce);
    for (const removal of items) {
      if (removal.step !== 'access' && (removal.step !== 'waiting' || !hasEndedWaiting(removal, clock()))) continue;
      await queue.send({ accountId: removal.accountId } satisfies RemovalTask);
      enqueued++;
    }
    if (next === undefined) return enqueued;
    after = next;
  }
};
