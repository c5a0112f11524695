import { accountRemovalsIn } from '../../../core/directory/accounts/account-removals.ts';
import { mailRemovalIn } from '../../../core/mail/mail-store/mail-removal.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { removeAccount, type RemovalTask } from '../../../lambdas/account-removal/remove-account.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { adminApi, type AdminApiOptions } from '../../support/admin-api.ts';

/** The admin API with the worker that removes accounts, over memory. */
export const withRemoval = async (options: AdminApiOptions = {}) => {
  const api = await adminApi({ recoverableSeconds: 0, ...options });
  const objects = memoryObjects();
  const clock = { now: () => new Date() };
  const dependencies = {
    removals: accountRemovalsIn(api.directory),
    mail: mailRemovalIn(api.mail),
    objects,
    queue: api.removalQueue,
    trail: api.trail,
    newId,
    clock: () => clock.now(),
  };
  const domain_id = ((await api.ok('/domains/AddDomain', { domain: 'example.test', receive_enabled: true }))['domain'] as { id: string }).id;
  const create = async (local_part = 'alice', user_id = 'user_person') =>
    ((await api.ok('/accounts/CreateAccount', { user_id, name: local_part, local_part, domain_id }))['account'] as { account_id: string }).account_id;
  /**
   * Passes the first waiting message to the worker. When the worker fails, the message returns to the queue.
   * @param patience remaining milliseconds of the worker.
   */
  const workOnce = async (patience = 60_000) => {
    const taken = api.removalQueue.messages.shift()!;
    await removeAccount(dependencies, taken.message as RemovalTask, new Date(clock.now().getTime() + patience)).catch((error: unknown) => {
      api.removalQueue.messages.push(taken);
      throw error;
    });
  };
  /** Runs the worker until the queue is empty. @returns the number of its calls. */
  const workAll = async (patience?: number) => {
    let count = 0;
    for (; api.removalQueue.messages.length > 0; count++) await workOnce(patience);
    return count;
  };
  return { ...api, objects, dependencies, clock, domain_id, create, workOnce, workAll };
};
