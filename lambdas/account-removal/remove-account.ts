import { openAudit, systemActor } from '../../core/rpc/audit.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { NewId } from '../../core/runtime/ids.ts';
import type { Queue } from '../../core/runtime/queue.ts';
import type { AuditTrail } from '../../core/directory/audit-log.ts';
import { removalSteps, type AccountRemovals, type Removal } from '../../core/directory/account-removals.ts';
import type { MailRemoval } from '../../core/mail/mail-removal.ts';
import { accountFolders } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Write } from '../../core/storage/table.ts';

/** What the queue holds: an account whose removal begins or goes on, or one that is gone and whose folders are looked into once more. */
export type RemovalTask = { readonly accountId: string; readonly isLastLook?: boolean };

export type RemovalConnections = {
  readonly removals: AccountRemovals;
  readonly mail: MailRemoval;
  readonly objects: Pick<Objects, 'removeSome'>;
  readonly queue: Queue;
  readonly trail: AuditTrail;
  readonly newId: NewId;
  readonly clock: Clock;
};

/** Items of mail removed before the time is looked at. */
const mailAtOnce = 500;

/** Seconds until the last look: a delivery that had begun before the removal may leave a message behind, but not after it has ended. */
const lastLookAfter = 300;

const actor = systemActor('account-removal');

/** An entry that says how far a removal is: what an operator follows it by. */
const progress = async ({ trail, newId, clock }: RemovalConnections, { accountId, name, step, removed }: Removal): Promise<readonly Write[]> => {
  const audit = await openAudit({ trail, newId, clock }, 'accounts/DeleteAccount', actor, accountId);
  audit.describe({ entity_name: name, metadata: { removal: step === 'addresses' ? 'complete' : `${step} removed`, removed: String(removed) } });
  return audit.successWrites();
};

const removeObjects = async ({ objects }: Pick<RemovalConnections, 'objects'>, accountId: string): Promise<number> => {
  for (const folder of accountFolders(accountId)) {
    const removed = await objects.removeSome(folder);
    if (removed > 0) return removed;
  }
  return 0;
};

/** A part of a step. @returns how much it removed; 0 when the step is done. */
const parts: { readonly [Step in Removal['step']]: (connections: RemovalConnections, accountId: string) => Promise<number> } = {
  async access({ removals }, accountId) {
    await removals.closeAccess(accountId);
    return 0;
  },
  mail: ({ mail }, accountId) => mail.removeSome(accountId, mailAtOnce),
  objects: removeObjects,
  addresses: ({ removals }, accountId) => removals.freeAddresses(accountId),
};

const conclude = async (connections: RemovalConnections, removal: Removal): Promise<void> => {
  const { removals, queue } = connections;
  const also = await progress(connections, removal);
  const next = removalSteps[removalSteps.indexOf(removal.step) + 1];
  if (next) return removals.recordProgress(removal, { step: next, removed: 0 }, also);
  await queue.send({ accountId: removal.accountId, isLastLook: true } satisfies RemovalTask, lastLookAfter);
  await removals.finish(removal.accountId, also);
};

/**
 * Works a removal off until it is complete or the time is up; then the rest is put back into the queue. What an interrupted run has done needs not be done
 * again, and two runs at once do each other no harm: everything is removed by what it belongs to, and each step is left once.
 */
export const removeAccount = async (connections: RemovalConnections, { accountId, isLastLook }: RemovalTask, deadline: Date): Promise<void> => {
  const { removals, queue, clock } = connections;
  if (isLastLook) {
    while (await removeObjects(connections, accountId) > 0) if (clock() > deadline) return queue.send({ accountId, isLastLook } satisfies RemovalTask);
    return;
  }
  for (let removal = await removals.find(accountId); removal; removal = await removals.find(accountId)) {
    let { removed } = removal;
    for (let more = -1; more !== 0;) {
      more = await parts[removal.step](connections, accountId);
      removed += more;
      if (more > 0 && clock() > deadline) {
        await removals.recordProgress(removal, { step: removal.step, removed }, []);
        return queue.send({ accountId } satisfies RemovalTask);
      }
    }
    await conclude(connections, { ...removal, removed });
  }
};
