import { directoryKeys, directoryPartitions } from '../../contract/deployment/keys.ts';
import { isIdOf } from '../../contract/values/ids.ts';
import { domainUnchangedCheck, identityChange } from '../../core/directory/aliases/alias-identities.ts';
import { aliasOf, type StoredAlias } from '../../core/directory/aliases/aliases.ts';
import { aliasMaySend } from '../../core/directory/aliases/may-send.ts';
import { storedDomainOf, type StoredDomain } from '../../core/directory/domains/domains.ts';
import type { StoredGroup } from '../../core/directory/groups/groups.ts';
import type { AccountIdentities, IdentityStore } from '../../core/mail/account-identities.ts';
import type { IdentityRecord } from '../../core/mail/identity-type.ts';
import { retryOnConflict } from '../../core/storage/retry-on-conflict.ts';
import { contentOf, type Table, type Write } from '../../core/storage/table.ts';

/** Maximum Identities that one transaction changes. With the checks it has at most 100 writes. */
const changesPerTransaction = 40;

type Difference = { readonly put?: IdentityRecord; readonly destroy?: IdentityRecord; readonly checks: readonly Write[] };

/** The change of an alias's Identity, if the Identity differs from its alias and domain, with checks of both. */
const differenceOf = (found: AccountIdentities, alias: StoredAlias, domain: StoredDomain | undefined): readonly Difference[] => {
  if (!domain) return [];
  const { put = [] } = identityChange(found, alias, aliasMaySend(alias, domain));
  return put
    .filter((record) => !found.records.includes(record))
    .map((record) => ({
      put: record,
      checks: [{ check: directoryKeys.alias(alias.alias_id), if: { equals: { version: alias.version } } }, domainUnchangedCheck(alias.domain_id, domain)],
    }));
};

/** The change of the Identity that the account has as a member of a group, by the group and its domain, with checks of both. */
const differenceOfGroup = (found: AccountIdentities, group: StoredGroup, domain: StoredDomain | undefined): readonly Difference[] => {
  if (!domain) return [];
  const { group_id: id, email, name, members_may_send: maySend, version } = group;
  const { put = [] } = identityChange(found, { alias_id: id, email, name, reply_to: email }, maySend && domain.send_enabled && domain.state === 'ready');
  return put
    .filter((record) => !found.records.includes(record))
    .map((record) => ({
      put: record,
      checks: [{ check: directoryKeys.group(id), if: { equals: { version, state: 'ready' } } }, domainUnchangedCheck(group.domain_id, domain)],
    }));
};

/** The Identities whose alias does not exist, or whose group does not have the account as a member. */
const orphansOf = (found: AccountIdentities, aliases: readonly StoredAlias[], groups: readonly StoredGroup[]): readonly Difference[] => {
  const known = new Set([...aliases.map(({ alias_id: id }) => id), ...groups.map(({ group_id: id }) => id)]);
  return found.records
    .filter(({ aliasId }) => !known.has(aliasId))
    .map((record) => {
      const check = isIdOf('group', record.aliasId) ? directoryKeys.groupMember(record.aliasId, found.accountId) : directoryKeys.alias(record.aliasId);
      return { destroy: record, checks: [{ check, if: { absent: true } }] };
    });
};

const distinctChecks = (differences: readonly Difference[]): readonly Write[] => [
  ...new Map(differences.flatMap(({ checks }) => checks).map((check) => [JSON.stringify(check), check])).values(),
];

/**
 * Makes an account's Identities equal to its aliases and domains. `name`, `reply_to` and `bcc` are set only in new
 * Identities.
 */
export const accountSync =
  (directory: Pick<Table, 'get' | 'batchGet' | 'query' | 'write'>, identities: IdentityStore) =>
  async (accountId: string): Promise<number> => {
    const account = directoryKeys.account(accountId);
    const storedGroups = async (ids: readonly string[]): Promise<StoredGroup[]> =>
      (await directory.batchGet(ids.map((id) => directoryKeys.group(id)))).map(contentOf<StoredGroup>);
    const syncOnce = (): Promise<number> =>
      retryOnConflict(async () => {
        const [exists, items, memberships, found] = await Promise.all([
          directory.get(account),
          directory.query({ pk: directoryPartitions.accountAliases(accountId) }),
          directory.query({ pk: directoryPartitions.groupsOfMember(accountId) }),
          identities.read(accountId),
        ]);
        if (!exists || !found) return 0;
        const aliases = items.map(aliasOf);
        const groups = memberships.length === 0 ? [] : await storedGroups(memberships.map(({ sk }) => sk));
        const domainIds = [...new Set([...aliases, ...groups].map(({ domain_id: domainId }) => domainId))];
        const domains = await directory.batchGet(domainIds.map((sk) => directoryKeys.domain(sk)));
        const domainOf = (id: string): StoredDomain | undefined => {
          const item = domains.find(({ sk }) => sk === id);
          return item && storedDomainOf(item);
        };
        const differences = [
          ...aliases.flatMap((alias) => differenceOf(found, alias, domainOf(alias.domain_id))),
          ...groups.flatMap((group) => differenceOfGroup(found, group, domainOf(group.domain_id))),
          ...orphansOf(found, aliases, groups),
        ].slice(0, changesPerTransaction);
        if (differences.length === 0) return 0;
        await directory.write([
          { check: account, if: { present: true } },
          ...distinctChecks(differences),
          ...identities.writes(found, { put: differences.flatMap(({ put }) => put ?? []), destroy: differences.flatMap(({ destroy }) => destroy ?? []) }),
        ]);
        return differences.length;
      });
    let changed = 0;
    for (let count = await syncOnce(); count > 0; count = count < changesPerTransaction ? 0 : await syncOnce()) changed += count;
    return changed;
  };
