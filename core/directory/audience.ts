import type { Table } from '../storage/table.ts';

/** Who is to be told of an account's changes, as the directory says it now. */
export type Audience = {
  /** Ids of the principals that are members of the account. One query. */
  memberIds(accountId: string): Promise<string[]>;
  /** Whether a person may be told anything; a machine, which has no profile, always may. One read. */
  isActive(principalId: string): Promise<boolean>;
};

export const audienceIn = (directory: Table): Audience => ({
  memberIds: async (accountId) => (await directory.query({ pk: `account-member#${accountId}` })).map(({ sk }) => sk),
  async isActive(principalId) {
    const profile = await directory.get({ pk: 'user', sk: principalId });
    return !profile || isActiveProfile(profile);
  },
});

/** What `user` items say of a person. */
export const isActiveProfile = (profile: { readonly [attribute: string]: unknown }): boolean => profile['is_active'] === true && profile['is_deleted'] !== true;
