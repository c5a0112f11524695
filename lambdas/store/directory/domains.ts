import type { DNSApplyState, Domain } from '../../../contract/admin/domains.ts';
import type { Item, Table, Value, Write } from '../table.ts';
import { readPage, type Page } from './page.ts';
import { written } from './race.ts';
import { ready, release, reserve, type Reservation } from './reservation.ts';

/** What the provider said about a domain. */
export type Standing = Pick<Domain, 'verification_status' | 'dkim_status' | 'dkim_enabled' | 'mail_from_domain'>;

/** A domain as it is made. */
export type NewDomain = Omit<Domain, 'is_primary' | 'dns_validation'> & { readonly standing_at: string };

/** A domain as it is kept: what we want of it, and what the provider last said, with the moment when (RFC 3339). */
export type StoredDomain = NewDomain & {
  /** `removing`: no address can be made there any more, and it is gone when the provider has let go of it. */
  readonly state: 'ready' | 'removing';
  /** Moves with every change of what is wanted. */
  readonly version: number;
};

/** What somebody may want otherwise of a domain. */
export type DomainWishes = Pick<Domain, 'dmarc_policy' | 'dmarc_report_email' | 'send_enabled' | 'receive_enabled' | 'dmarc_enabled' | 'spf_mode' | 'spf_value'>;

/** A value that we wrote, or were about to write, at a name of the domain's DNS: what ApplyDomainRecords may change and DeleteDomainRecord remove. */
export type AppliedRecord = { readonly name: string; readonly record_type: 'CNAME' | 'MX' | 'TXT' | 'SRV'; readonly value: string };

/**
 * Domains. `domain`/id is the record, `domain-name`/name makes a name belong to one domain only; the latter also says whether the domain receives,
 * so that delivery reads no more than it. `domain-records#id`/type name value is a DNS record of ours.
 */
export type Domains = {
  find(id: string): Promise<StoredDomain | undefined>;
  findByName(name: string): Promise<StoredDomain | undefined>;
  list(after: string | undefined, size: number): Promise<Page<StoredDomain>>;
  /** Takes the name for a domain to be made, or finds which has taken it. */
  reserve(name: string, id: string): Promise<Reservation>;
  /** Gives back a name that was reserved and can't be made into a domain; nothing once it is complete. */
  release(name: string, id: string): Promise<void>;
  /** Makes a reserved domain complete, in one transaction with what is to be written also. @returns false when somebody else was faster. */
  complete(domain: NewDomain, also: readonly Write[]): Promise<boolean>;
  /** Keeps what the provider said; nothing for a domain that is gone. */
  keepStanding(id: string, standing: Standing, now: Date): Promise<void>;
  /** Changes what is wanted of a domain, with what is to be written also. @returns false when the domain is not as it was found any more. */
  update(found: StoredDomain, wishes: DomainWishes, now: Date, also: readonly Write[]): Promise<boolean>;
  /** The first step of a removal: from here on no address can be made there. @returns false when the domain is not as it was found any more. */
  beginRemoval(found: StoredDomain): Promise<boolean>;
  /** Takes the first step back. */
  abandonRemoval(id: string): Promise<void>;
  /** How many addresses of accounts and aliases there are. */
  countAddresses(id: string): Promise<number>;
  /** The last step, with what is to be written also. @returns false when somebody else was faster. */
  concludeRemoval(found: StoredDomain, also: readonly Write[]): Promise<boolean>;
  appliedRecords(id: string): Promise<AppliedRecord[]>;
  /** Remembers records as ours before they are written, so that an interrupted call leaves none that nobody knows of. */
  claimRecords(id: string, records: readonly AppliedRecord[]): Promise<void>;
  /** Forgets records that are not there any more. */
  forgetRecords(id: string, records: readonly AppliedRecord[]): Promise<void>;
  /** Keeps how the last ApplyDomainRecords went; nothing for a domain that is gone. */
  keepApplyState(id: string, state: DNSApplyState): Promise<void>;
};

/** The condition under which an address at a domain becomes ready: the domain is there, it is not being removed, and it is as `wanted` says. */
export const domainIsOpen = (domainId: string, wanted: Partial<Pick<StoredDomain, 'send_enabled' | 'receive_enabled'>> = {}): Write =>
  ({ check: { pk: 'domain', sk: domainId }, if: { equals: { ...wanted, state: 'ready' } } });

const nameKey = (name: string) => ({ pk: 'domain-name', sk: name });

const recordsOf = (id: string): string => `domain-records#${id}`;
const recordKey = (id: string, { record_type: type, name, value }: AppliedRecord) => ({ pk: recordsOf(id), sk: `${type} ${name} ${value}` });

const domainOf = ({ pk: _pk, sk: _sk, ...stored }: Item): StoredDomain => stored as unknown as StoredDomain;

export const domainsIn = (table: Table): Domains => ({
  async find(id) {
    const item = await table.get({ pk: 'domain', sk: id });
    return item && domainOf(item);
  },
  async findByName(name) {
    const owner = await table.get(nameKey(name));
    const item = owner && await table.get({ pk: 'domain', sk: owner['domain_id'] as string });
    return item && domainOf(item);
  },
  list: (after, size) => readPage(table, 'domain', after, size, domainOf),
  reserve: (name, id) => reserve(table, nameKey(name), 'domain_id', id),
  release: (name, id) => release(table, nameKey(name), 'domain_id', id),
  complete: (domain, also) => written(table, [
    { put: { pk: 'domain', sk: domain.id, ...domain, state: 'ready', version: 1 } as unknown as Item, if: { absent: true } },
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
  update: ({ id, domain, version }, wishes, now, also) => written(table, [
    {
      update: { pk: 'domain', sk: id },
      set: { ...present(wishes), updated_at: now.toISOString() },
      remove: absent(wishes),
      add: { version: 1 },
      if: { equals: { state: 'ready', version } },
    },
    { update: nameKey(domain), set: { receive_enabled: wishes.receive_enabled }, if: { equals: { domain_id: id, state: 'ready' } } },
    ...also,
  ]),
  beginRemoval: ({ id, version }) =>
    written(table, [{ update: { pk: 'domain', sk: id }, set: { state: 'removing' }, add: { version: 1 }, if: { equals: { state: 'ready', version } } }]),
  async abandonRemoval(id) {
    await written(table, [{ update: { pk: 'domain', sk: id }, set: { state: 'ready' }, add: { version: 1 }, if: { equals: { state: 'removing' } } }]);
  },
  async countAddresses(id) {
    const addresses = await table.query({ pk: 'address' });
    return addresses.filter((address) => address['domain_id'] === id).length;
  },
  concludeRemoval: ({ id, domain }, also) => written(table, [
    { delete: { pk: 'domain', sk: id }, if: { equals: { state: 'removing' } } },
    { delete: nameKey(domain), if: { equals: { domain_id: id } } },
    ...also,
  ]),
  async appliedRecords(id) {
    const items = await table.query({ pk: recordsOf(id) });
    return items.map(({ pk: _pk, sk: _sk, ...record }) => record as unknown as AppliedRecord);
  },
  async claimRecords(id, records) {
    await inBatches(records, (batch) => table.write(batch.map((record): Write => ({ put: { ...recordKey(id, record), ...record } }))));
  },
  async forgetRecords(id, records) {
    await inBatches(records, (batch) => table.write(batch.map((record): Write => ({ delete: recordKey(id, record) }))));
  },
  async keepApplyState(id, state) {
    await written(table, [{ update: { pk: 'domain', sk: id }, set: { dns_apply_state: state as unknown as Value }, if: { present: true } }]);
  },
});

const present = (wishes: DomainWishes): { [attribute: string]: string | boolean } =>
  Object.fromEntries(Object.entries(wishes).filter((entry): entry is [string, string | boolean] => entry[1] !== undefined));

const absent = (wishes: DomainWishes): string[] => (['dmarc_report_email', 'spf_value'] as const).filter((name) => wishes[name] === undefined);

/** Records are few; a transaction takes at most 100. */
const inBatches = async (records: readonly AppliedRecord[], write: (batch: readonly AppliedRecord[]) => Promise<void>): Promise<void> => {
  for (let start = 0; start < records.length; start += 100) await write(records.slice(start, start + 100));
};
