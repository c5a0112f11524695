import type { Domain } from '../../../contract/admin/domains.ts';
import type { Item, Table, Write } from '../table.ts';
import { readPage, type Page } from './page.ts';
import { written } from './race.ts';
import { ready, release, reserve, type Reservation } from './reservation.ts';

/** What the provider said about a domain. */
export type Standing = Pick<Domain, 'verification_status' | 'dkim_status' | 'dkim_enabled' | 'mail_from_domain'>;

/** A domain as it is kept: what we want of it, and what the provider last said, with the moment when (RFC 3339). */
export type StoredDomain = Omit<Domain, 'is_primary' | 'dns_validation'> & { readonly standing_at: string };

/**
 * Domains. `domain`/id is the record, `domain-name`/name makes a name belong to one domain only; the latter also says whether the domain receives,
 * so that delivery reads no more than it.
 */
export type Domains = {
  find(id: string): Promise<StoredDomain | undefined>;
  list(after: string | undefined, size: number): Promise<Page<StoredDomain>>;
  /** Takes the name for a domain to be made, or finds which has taken it. */
  reserve(name: string, id: string): Promise<Reservation>;
  /** Gives back a name that was reserved and can't be made into a domain; nothing once it is complete. */
  release(name: string, id: string): Promise<void>;
  /** Makes a reserved domain complete, in one transaction with what is to be written also. @returns false when somebody else was faster. */
  complete(domain: StoredDomain, also: readonly Write[]): Promise<boolean>;
  /** Keeps what the provider said; nothing for a domain that is gone. */
  keepStanding(id: string, standing: Standing, now: Date): Promise<void>;
};

const nameKey = (name: string) => ({ pk: 'domain-name', sk: name });

const domainOf = ({ pk: _pk, sk: _sk, ...stored }: Item): StoredDomain => stored as unknown as StoredDomain;

export const domainsIn = (table: Table): Domains => ({
  async find(id) {
    const item = await table.get({ pk: 'domain', sk: id });
    return item && domainOf(item);
  },
  list: (after, size) => readPage(table, 'domain', after, size, domainOf),
  reserve: (name, id) => reserve(table, nameKey(name), 'domain_id', id),
  release: (name, id) => release(table, nameKey(name), 'domain_id', id),
  complete: (domain, also) => written(table, [
    { put: { pk: 'domain', sk: domain.id, ...domain } as unknown as Item, if: { absent: true } },
    ready(nameKey(domain.domain), 'domain_id', domain.id, { receive_enabled: domain.receive_enabled }),
    ...also,
  ]),
  async keepStanding(id, { mail_from_domain: mailFrom, ...standing }, now) {
    await written(table, [{
      update: { pk: 'domain', sk: id },
      set: { ...standing, ...(mailFrom !== undefined && { mail_from_domain: mailFrom }), standing_at: now.toISOString() },
      remove: mailFrom === undefined ? ['mail_from_domain'] : [],
      if: { present: true },
    }]);
  },
});
