import type { Item, Table } from '../storage/table.ts';
import { isActiveProfile } from './audience.ts';
import type { Membership, Principals, Role } from './principal.ts';

const membershipOf = (item: Item): Membership => ({
  accountId: item.sk,
  role: item['role'] as Role,
  accountName: item['account_name'] as string,
  isOwner: item['is_owner'] === true,
});

/** Who calls, from the directory: profile and memberships side by side, so one trip. */
export const principalsIn = (table: Table): Principals => ({
  async find({ principalId, isMachine }) {
    if (principalId === '') return undefined;
    const [profile, memberships] = await Promise.all([
      isMachine ? undefined : table.get({ pk: 'user', sk: principalId }),
      table.query({ pk: `member#${principalId}` }),
    ]);
    if (!isMachine && !profile) return undefined;
    return {
      principalId,
      isMachine,
      isActive: isMachine || (profile !== undefined && isActiveProfile(profile)),
      isAdmin: profile?.['is_admin'] === true,
      username: isMachine ? principalId : profile?.['primary_email'] as string,
      memberships: memberships.map(membershipOf),
    };
  },
});
