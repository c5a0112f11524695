import { users } from '../../../contract/admin/users.ts';
import { sessionPath } from '../../../contract/jmap/discovery.ts';
import { cognitoIdentityProvider } from '../../../core/aws/cognito-identity-provider.ts';
import { sesSystemMail } from '../../../core/aws/ses/ses-system-mail.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { accountAliasesIn } from '../../../core/directory/aliases/aliases.ts';
import { membersIn } from '../../../core/directory/users/members.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { recoverableSecondsSetting, mfaSetting, optionalSetting, setting } from '../../../core/runtime/lambda/settings.ts';
import { logFor } from '../../../core/runtime/log.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { usersService } from './users-service.ts';

const directory = dynamodbTable(setting('directoryTable'));

export const handler = invoked(
  serve(
    users,
    usersService({
      users: usersIn(directory, systemClock),
      accounts: accountsIn(directory),
      addresses: addressesIn(directory),
      aliases: accountAliasesIn(directory),
      members: membersIn(directory),
      identityProvider: cognitoIdentityProvider(setting('userPoolId')),
      signIn: {
        mailDomain: setting('mailDomain'),
        mfa: mfaSetting(),
        mailFrom: setting('signInMailFrom'),
        sessionUrl: `${setting('jmapUrl')}${sessionPath}`,
        webmailUrl: optionalSetting('webmailUrl'),
        consoleUrl: setting('consoleUrl'),
      },
      systemMail: sesSystemMail(),
      recoverableSeconds: recoverableSecondsSetting(),
      log: logFor(users.name),
      newId,
      clock: systemClock,
    }),
    adminDependencies(users.name, directory),
  ),
);
