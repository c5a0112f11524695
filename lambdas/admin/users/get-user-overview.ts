import { users as contract } from '../../../contract/admin/users.ts';
import type { Mfa } from '../../../contract/oauth/oauth.ts';
import type { IdentityProvider } from '../../../core/aws/identity-provider.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import type { StoredUser } from '../../../core/directory/users/users.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { readSources } from '../../../core/runtime/read-sources.ts';
import { getUserWithAccountIds, type UserReads } from './stored-user.ts';

type Dependencies = UserReads & {
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly aliases: Pick<Aliases, 'findByAccount'>;
  readonly identityProvider: Pick<IdentityProvider, 'secondFactors'>;
  readonly signIn: { readonly mfa: Mfa };
  readonly log: Log;
};

/** The second factors that the provider lists of a user. Empty when the provider fails, because the rest of the answer does not need it. */
const secondFactorsOf = async ({ idp_identities: identities = [] }: StoredUser, { identityProvider, signIn, log }: Dependencies) => {
  if (signIn.mfa === 'off') return [];
  const read = async () => (await Promise.all(identities.map(({ username }) => identityProvider.secondFactors(username)))).flat();
  const { values } = await readSources({ secondFactors: read }, 'user overview', log);
  return values.secondFactors ?? [];
};

export const getUserOverview = (dependencies: Dependencies) =>
  adminMethod(contract.methods.GetUserOverview, {
    async run({ user_id }) {
      const { user, accountIds } = await getUserWithAccountIds(dependencies, user_id);
      const primaryId = user.primary_account_id;
      const [accounts, primaryAliases, secondFactors] = await Promise.all([
        dependencies.accounts.findAll([...new Set([...accountIds, ...(primaryId === undefined ? [] : [primaryId])])]),
        primaryId === undefined ? [] : dependencies.aliases.findByAccount(primaryId),
        secondFactorsOf(user, dependencies),
      ]);
      const primaryAccount = accounts.find(({ account_id: id }) => id === primaryId);
      return {
        user,
        second_factors: [...secondFactors],
        primary_account: primaryAccount,
        primary_account_aliases: primaryAccount ? primaryAliases : [],
        accounts: accounts.filter(({ account_id: id }) => accountIds.includes(id)),
      };
    },
  });
