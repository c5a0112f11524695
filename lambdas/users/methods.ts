import type { users as contract } from '../../contract/admin/users.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';
import { notFound } from '../platform/rpc-error.ts';
import { completeUser, emailTaken, type UserStores } from './new-user.ts';

/** What /users does. */
export const usersMethods = (stores: UserStores): Behaviours<typeof contract> => {
  const { users, newId } = stores;
  return {
    async CreateUser({ email, display_name }, { audit }) {
      audit.about({ entity_name: display_name ?? email });
      const { id, isReady } = await users.reserve(email, newId('user'));
      if (isReady) throw emailTaken();
      return { user: await completeUser(stores, id, { email, display_name, is_admin: false }, audit) };
    },
    async ListUsers({ page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await users.list(pageAfter, page_size);
      return { users: [...items], next_page_token: await nextPageToken(next) };
    },
    async GetUser({ user_id }) {
      const user = await users.find(user_id);
      if (!user) throw notFound('user');
      return { user };
    },
    UpdateUser: unimplemented,
    DeleteUser: unimplemented,
    ListUserAccounts: unimplemented,
    GetUserOverview: unimplemented,
    PutUserAccountMember: unimplemented,
    DeleteUserAccountMember: unimplemented,
  };
};
