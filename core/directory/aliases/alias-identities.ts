import type { Alias } from '../../../contract/admin/aliases.ts';
import { directoryKeys } from '../../../contract/deployment/keys.ts';
import type { AccountIdentities, IdentityChanges, IdentityStore } from '../../mail/account-identities.ts';
import { aliasProperties, changedIdentity, identityOfAlias, type IdentityRecord, type SenderAlias } from '../../mail/identity-type.ts';
import type { Table, Write } from '../../storage/table.ts';
import { storedDomainOf, type StoredDomain } from '../domains/domains.ts';
import { aliasMaySend } from './may-send.ts';

/**
 * Keeps the Identities of an account equal to its aliases. It returns writes for the transaction that changes the
 * alias. Each call reads the account's Identities and the domain concurrently. The transaction fails when they changed
 * since they were read; then the caller calls again.
 */
export type AliasIdentities = {
  /** The writes that create the Identity of a new alias, and a check that its domain may send. */
  created(alias: Alias): Promise<readonly Write[]>;
  /**
   * The writes that change the Identity, and a check of the domain unless `checksDomain` says that the caller already
   * checks it.
   */
  updated(before: Alias, after: Alias, checksDomain: boolean): Promise<readonly Write[]>;
  /**
   * The writes that destroy the Identities of a deleted alias: the Identity of the alias, and those that clients
   * created for its address.
   */
  removed(alias: Alias): Promise<readonly Write[]>;
};

const decidingFields = ['is_active', 'can_send_from', 'name', 'reply_to', 'bcc'] as const;

const differs = (before: Alias, after: Alias, ...fields: readonly (keyof Alias)[]): boolean => fields.some((field) => before[field] !== after[field]);

/** The Identity's properties that a change of the alias sets. Other properties keep the client's values. */
const changedProperties = (before: Alias, after: Alias): Partial<IdentityRecord> => {
  const { name, replyTo, bcc } = aliasProperties(after);
  return {
    ...(differs(before, after, 'name') && { name }),
    ...(differs(before, after, 'reply_to') && { replyTo }),
    ...(differs(before, after, 'bcc') && { bcc }),
  };
};

/**
 * The change that makes the Identity of an alias equal to the alias. The Identity of an alias that may not send is
 * hidden, but kept.
 */
export const identityChange = (
  { records }: Pick<AccountIdentities, 'records'>,
  alias: SenderAlias,
  maySend: boolean,
  properties: Partial<IdentityRecord> = {},
): IdentityChanges => {
  const own = records.find(({ id }) => id === alias.alias_id);
  if (own) return { put: [changedIdentity(own, { ...properties, maySend })] };
  return maySend ? { put: [identityOfAlias(alias, true)] } : {};
};

/** A check that the domain's send settings have not changed since they were read. */
export const domainUnchangedCheck = (domainId: string, { send_enabled, state }: Pick<StoredDomain, 'send_enabled' | 'state'>): Write => ({
  check: directoryKeys.domain(domainId),
  if: { equals: { send_enabled, state } },
});

export const aliasIdentitiesIn = (directory: Pick<Table, 'get'>, identities: IdentityStore): AliasIdentities => ({
  async created(alias) {
    if (!alias.is_active || !alias.can_send_from) return [];
    const found = await identities.read(alias.account_id);
    return found ? identities.writes(found, identityChange(found, alias, true)) : [];
  },
  async updated(before, after, checksDomain) {
    if (!differs(before, after, ...decidingFields)) return [];
    const [found, item] = await Promise.all([identities.read(after.account_id), directory.get(directoryKeys.domain(after.domain_id))]);
    if (!found || !item) return [];
    const domain = storedDomainOf(item);
    const dependsOnDomain = after.is_active && after.can_send_from;
    return [
      ...identities.writes(found, identityChange(found, after, aliasMaySend(after, domain), changedProperties(before, after))),
      ...(dependsOnDomain && !checksDomain ? [domainUnchangedCheck(after.domain_id, domain)] : []),
    ];
  },
  async removed(alias) {
    const found = await identities.read(alias.account_id);
    return found ? identities.writes(found, { destroy: found.records.filter(({ aliasId }) => aliasId === alias.alias_id) }) : [];
  },
});
