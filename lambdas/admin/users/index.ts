import { users } from '../../../contract/admin/users.ts';
import { cognitoIdentityProvider } from '../../../core/aws/cognito/cognito-identity-provider.ts';
import { accountsIn } from '../../../core/directory/accounts.ts';
import { accountAliasesIn } from '../../../core/directory/aliases.ts';
import { membersIn } from '../../../core/directory/members.ts';
import { usersIn } from '../../../core/directory/users.ts';
import { adminConnections } from '../../../core/rpc/admin-connections.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { setting } from '../../../core/runtime/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb-table.ts';
import { usersService } from './users-service.ts';

const directory = dynamodbTable(setting('directoryTable'));

export const handler = serve(users, usersService({
  users: usersIn(directory),
  accounts: accountsIn(directory),
  aliases: accountAliasesIn(directory),
  members: membersIn(directory),
  identityProvider: cognitoIdentityProvider(setting('userPoolId')),
  newId,
  clock: systemClock,
}), adminConnections(users.name, directory));
