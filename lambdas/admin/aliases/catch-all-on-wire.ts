import type { CatchAll } from '../../../contract/admin/aliases.ts';
import type { StoredDomain } from '../../../core/directory/domains/domains.ts';
import { groupMembersOf, type MemberReads } from './group-members-on-wire.ts';

/** The catch-alls of domains as /aliases returns them, with the names of the receivers. A domain without one is left out. */
export const catchAllsOf = async (domains: readonly StoredDomain[], reads: MemberReads): Promise<CatchAll[]> => {
  const found = domains.flatMap(({ id, domain, catch_all: receiverId }) => (receiverId === undefined ? [] : [{ domain_id: id, domain, receiverId }]));
  const named = await groupMembersOf(
    found.map(({ receiverId }) => ({ memberId: receiverId, addedAt: '' })),
    reads,
  );
  return found.map(({ domain_id, domain, receiverId }, index) => {
    const { kind, email, name } = named[index]!;
    return { domain_id, domain, receiver_id: receiverId, kind: kind === 'GROUP' ? kind : 'ACCOUNT', email, name };
  });
};
