import { readEmailAddress } from '../../contract/fields.ts';
import { completeUser, type UserStores } from './new-user.ts';

/**
 * Makes the deployment's first admin, once: invited, or appointed if they are a user already. Whoever comes after is made by an admin,
 * and a first admin who was demoted since stays so.
 * @throws Error in words for whoever deploys.
 */
export const appointFirstAdmin = async (stores: UserStores, address: unknown): Promise<void> => {
  const email = typeof address === 'string' ? readEmailAddress(address) : undefined;
  if (email === undefined) throw new Error('adminEmail is not an email address');
  const { users, newId, clock } = stores;
  if (await users.hasFirstAdmin()) return;
  const { id, isReady } = await users.reserve(email, newId('user'));
  const existing = isReady ? await users.find(id) : undefined;
  if (!existing) await completeUser(stores, id, { email, is_admin: true }, 'first-admin');
  else if (!(await users.appointFirstAdmin(existing, clock()))) throw new Error('the first admin is being made by somebody else; deploy again');
};
