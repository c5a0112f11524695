import { directoryKeys, directoryPartitions } from '../../contract/deployment/keys.ts';
import { domainUnchangedCheck, identityChange } from '../../core/directory/aliases/alias-identities.ts';
import { aliasOf, type StoredAlias } from '../../core/directory/aliases/aliases.ts';
import { aliasMaySend } from '../../core/directory/aliases/may-send.ts';
import { storedDomainOf, type StoredDomain } from '../../core/directory/domains/domains.ts';
import type { AccountIdentities, IdentityStore } from '../../core/mail/account-identities.ts';
import type { IdentityRecord } from '../../core/mail/identity-type.ts';
import { retryOnConflict } from '../../core/storage/retry-on-conflict.ts';
import type { Table, Write } from '../../core/storage/table.ts';

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

/** The Identities whose alias does not exist. */
const orphansOf = (found: AccountIdentities, aliases: readonly StoredAlias[]): readonly Difference[] =>
  found.records
    .filter(({ aliasId }) => !aliases.some((alias) => alias.alias_id === aliasId))
    .map((record) => ({ destroy: record, checks: [{ check: directoryKeys.alias(record.aliasId), if: { absent: true } }] }));

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
    const syncOnce = (): Promise<number> =>
      retryOnConflict(async () => {
        const [exists, items, found] = await Promise.all([
          directory.get(account),
          directory.query({ pk: directoryPartitions.accountAliases(accountId) }),
          identities.read(accountId),
        ]);
        if (!exists || !found) return 0;
        const aliases = items.map(aliasOf);
        const domainIds = [...new Set(aliases.map(({ domain_id: domainId }) => domainId))];
        const domains = await directory.batchGet(domainIds.map((sk) => directoryKeys.domain(sk)));
        const domainOf = (id: string): StoredDomain | undefined => {
          const item = domains.find(({ sk }) => sk === id);
          return item && storedDomainOf(item);
        };
        const differences = [...aliases.flatMap((alias) => differenceOf(found, alias, domainOf(alias.domain_id))), ...orphansOf(found, aliases)].slice(
          0,
          changesPerTransaction,
        );
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
