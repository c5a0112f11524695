import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import type { Table, Write } from '../../storage/table.ts';
import { storedUserOf } from '../users/users.ts';

/** Admins who want mail about changes of the list of problems: the items `problem-subscriber`/user_id. */
export type ProblemSubscribers = {
  isSubscribed(userId: string): Promise<boolean>;
  /** The ids of all subscribers, and the addresses of those who are active admins. */
  list(): Promise<{ readonly userIds: readonly string[]; readonly addresses: readonly string[] }>;
  /**
   * Subscribes a user or ends the subscription, with the additional writes.
   * @returns false when a condition of an additional write does not hold.
   */
  set(userId: string, isSubscribed: boolean, additionalWrites: readonly Write[]): Promise<boolean>;
};

const keyOf = directoryKeys.problemSubscriber;

export const problemSubscribersIn = (table: Table): ProblemSubscribers => ({
  isSubscribed: async (userId) => (await table.get(keyOf(userId))) !== undefined,
  async list() {
    const subscribers = await table.query({ pk: keyOf('').pk });
    const userIds = subscribers.map(({ sk }) => sk);
    const users = await table.batchGet(userIds.map((sk) => directoryKeys.user(sk)));
    const addresses = users
      .map(storedUserOf)
      .flatMap(({ is_admin, is_active, is_deleted, primary_email: email }) => (is_admin && is_active && !is_deleted && email !== undefined ? [email] : []))
      .toSorted();
    return { userIds, addresses };
  },
  set: (userId, isSubscribed, additionalWrites) => tryWrite(table, [isSubscribed ? { put: keyOf(userId) } : { delete: keyOf(userId) }, ...additionalWrites]),
});
