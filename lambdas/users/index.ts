import { users } from '../../contract/admin/users.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import { newId } from '../platform/ids.ts';
import { cognitoIdentityProvider } from '../providers/cognito.ts';
import { accountsIn } from '../store/directory/accounts.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { aliasesIn } from '../store/directory/aliases.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { membersIn } from '../store/directory/members.ts';
import { usersIn } from '../store/directory/users.ts';
import { usersMethods } from './methods.ts';

const directory = directoryTable();

export const handler = serve(users, usersMethods({
  users: usersIn(directory),
  accounts: accountsIn(directory),
  aliases: aliasesIn(directory),
  members: membersIn(directory),
  identityProvider: cognitoIdentityProvider(configured('userPoolId')),
  newId,
  clock: systemClock,
}), adminConnections(users.name, directory));
