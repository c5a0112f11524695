import { openAudit, systemActor } from '../../core/rpc/audit.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { NewId } from '../../core/runtime/ids.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { AuditTrail } from '../../core/directory/operations/audit-log.ts';
import { removalSteps, type AccountRemovals, type Removal } from '../../core/directory/accounts/account-removals.ts';
import type { MailRemoval } from '../../core/mail-types/mail-store/mail-removal.ts';
import { accountFolders } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Write } from '../../core/storage/table.ts';

/** A message of the queue: an account to remove, or a removed account whose folders get a final check. */
export type RemovalTask = { readonly accountId: string; readonly isLastLook?: boolean };

export type RemovalDependencies = {
  readonly removals: AccountRemovals;
  readonly mail: MailRemoval;
  readonly objects: Pick<Objects, 'removeSome'>;
  readonly queue: Queue;
  readonly trail: AuditTrail;
  readonly newId: NewId;
  readonly clock: Clock;
};

/** Items of mail that are removed between two checks of the deadline. */
const mailBatchSize = 500;

/**
 * Seconds until the final check: a delivery that began before the removal may store a message after its step, but ends
 * within this time.
 */
const finalCheckDelay = 300;

const actor = systemActor('account-removal');

/** An audit entry of the progress of a removal, for operators. */
const progressWrites = async (
  { trail, newId, clock }: RemovalDependencies, { accountId, name, step, removed }: Removal,
): Promise<readonly Write[]> => {
  const audit = await openAudit({ trail, newId, clock }, 'accounts/DeleteAccount', actor, accountId);
  audit.describe({
    entity_name: name, metadata: { removal: step === 'addresses' ? 'complete' : `${step} removed`, removed: String(removed) },
  });
  return audit.successWrites();
};

const removeObjects = async ({ objects }: Pick<RemovalDependencies, 'objects'>, accountId: string): Promise<number> => {
  for (const folder of accountFolders(accountId)) {
    const removed = await objects.removeSome(folder);
    if (removed > 0) return removed;
  }
  return 0;
};

/** Runs a part of a step. @returns how many items it removed; 0 when the step is complete. */
const stepParts: { readonly [Step in Removal['step']]: (dependencies: RemovalDependencies, accountId: string) => Promise<number> } = {
  async access({ removals }, accountId) {
    await removals.closeAccess(accountId);
    return 0;
  },
  mail: ({ mail }, accountId) => mail.removeSome(accountId, mailBatchSize),
  objects: removeObjects,
  addresses: ({ removals }, accountId) => removals.freeAddresses(accountId),
};

const completeStep = async (dependencies: RemovalDependencies, removal: Removal): Promise<void> => {
  const { removals, queue } = dependencies;
  const additionalWrites = await progressWrites(dependencies, removal);
  const next = removalSteps[removalSteps.indexOf(removal.step) + 1];
  if (next) return removals.recordProgress(removal, { step: next, removed: 0 }, additionalWrites);
  await queue.send({ accountId: removal.accountId, isLastLook: true } satisfies RemovalTask, finalCheckDelay);
  await removals.finish(removal.accountId, additionalWrites);
};

/**
 * Continues a removal until it is complete or the deadline has passed; then it enqueues the remaining work. Every step
 * is idempotent: the next run continues an interrupted one, and concurrent runs do no harm. Each step is completed
 * once.
 */
export const removeAccount = async (
  dependencies: RemovalDependencies, { accountId, isLastLook }: RemovalTask, deadline: Date,
): Promise<void> => {
  const { removals, queue, clock } = dependencies;
  if (isLastLook) {
    while (await removeObjects(dependencies, accountId) > 0) {
      if (clock() > deadline) return queue.send({ accountId, isLastLook } satisfies RemovalTask);
    }
    return;
  }
  for (let removal = await removals.find(accountId); removal; removal = await removals.find(accountId)) {
    let { removed } = removal;
    for (let removedNow = -1; removedNow !== 0;) {
      removedNow = await stepParts[removal.step](dependencies, accountId);
      removed += removedNow;
      if (removedNow > 0 && clock() > deadline) {
        await removals.recordProgress(removal, { step: removal.step, removed }, []);
        return queue.send({ accountId } satisfies RemovalTask);
      }
    }
    await completeStep(dependencies, { ...removal, removed });
  }
};
