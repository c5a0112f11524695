import type { DNSApplyState, Domain } from '../../../contract/admin/domains.ts';
import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { readPage, type Page } from '../../storage/page.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import { contentOf, itemOf, rowOf, type Table, type Write } from '../../storage/table.ts';
import { listingWrites, maxListingWrites, readListedPage, type ListedPage } from '../listings.ts';
import { readyWrite, release, reserve, type Reservation } from '../reservation.ts';

/** The status of a domain at the sending provider. */
export type ProviderStatus = Pick<Domain, 'verification_status' | 'dkim_status' | 'dkim_enabled' | 'mail_from_domain'>;

/** A domain to create. */
export type NewDomain = Omit<Domain, 'is_primary' | 'dns_validation'> & { readonly standing_at: string };

/** A stored domain: its settings, and its last known status at the provider with the time (RFC 3339). */
export type StoredDomain = NewDomain & {
  /** The account or the group that gets the mail for addresses that do not exist. */
  readonly catch_all?: string;
  /** The state. `removing`: the domain takes no new addresses, and is deleted after its identity at the provider. */
  readonly state: 'ready' | 'removing';
  /** The number of changes of the settings. */
  readonly version: number;
  /**
   * The number of addresses of accounts and aliases, without those of deleted accounts. It changes in the transactions that
   * create, delete, free and restore addresses.
   */
  readonly address_count: number;
};

/** The settings of a domain that an admin may change. */
export type DomainSettings = Pick<
  Domain,
  'dmarc_policy' | 'dmarc_report_email' | 'send_enabled' | 'receive_enabled' | 'dmarc_enabled' | 'spf_mode' | 'spf_value'
>;

/** A DNS record that ApplyDomainRecords has written or was about to write, and may change or delete. */
export type AppliedRecord = { readonly name: string; readonly record_type: 'CNAME' | 'MX' | 'TXT' | 'SRV'; readonly value: string };

/**
 * Domains. The item `domain`/id is the record. `domain-name`/name makes the name unique; it also has `receive_enabled`
 * and `send_enabled`, so that deliveries and sends read nothing else. `domain-records#id`/type name value is a DNS
 * record that the deployment has written.
 */
export type Domains = {
  find(id: string): Promise<StoredDomain | undefined>;
  /** The id of the domain with the name; undefined while its creation is not complete. */
  findIdByName(name: string): Promise<string | undefined>;
  /** A transaction's check that the domain may send, and that its last known status is verified. */
  canSendCheck(id: string): Write;
  list(after: string | undefined, size: number): Promise<Page<StoredDomain>>;
  /** A page of the domains in an order, or of those that a query finds. */
  listed(page: ListedPage, after: string | undefined, size: number): Promise<Page<StoredDomain>>;
  /** Reserves the name for a new domain, or finds the existing reservation. */
  reserve(name: string, id: string): Promise<Reservation>;
  /** Releases a reserved name whose domain can't be created. It does nothing once the domain is complete. */
  release(name: string, id: string): Promise<void>;
  /** Completes a reserved domain. @returns false if another call completed it. */
  complete(domain: NewDomain, additionalWrites: readonly Write[]): Promise<boolean>;
  /** Stores the status at the provider. It does nothing for a deleted domain. */
  storeProviderStatus(id: string, status: ProviderStatus, now: Date): Promise<void>;
  /**
   * Changes the settings of a domain, with the additional writes.
   * @param checksAddressCount whether a new or deleted address counts as a change.
   * @returns false if the domain changed since it was read, or a condition of an additional write does not hold.
   */
  update(domain: StoredDomain, settings: DomainSettings, now: Date, additionalWrites: readonly Write[], checksAddressCount?: boolean): Promise<boolean>;
  /**
   * Begins the removal of a domain. From then on the domain gets no new addresses.
   * @returns false if the domain changed since it was read, or has addresses.
   */
  beginRemoval(domain: StoredDomain): Promise<boolean>;
  /** Completes a removal: deletes the domain and its records. @returns false if another call completed it. */
  finishRemoval(domain: StoredDomain, records: readonly AppliedRecord[], additionalWrites: readonly Write[]): Promise<boolean>;
  appliedRecords(id: string): Promise<AppliedRecord[]>;
  /**
   * Stores records before they are written to DNS, so that the deployment knows every record that an interrupted call
   * wrote.
   */
  claimRecords(id: string, records: readonly AppliedRecord[], additionalWrites: readonly Write[]): Promise<void>;
  /** Removes records that are no longer in DNS and stores the outcome, unless the domain is deleted. */
  recordApplyOutcome(id: string, removed: readonly AppliedRecord[], state: DNSApplyState | undefined, additionalWrites: readonly Write[]): Promise<void>;
};

/** A check that addresses may send from the domain. */
export const domainSendsCheck = (domainId: string): Write => ({
  check: directoryKeys.domain(domainId),
  if: { equals: { send_enabled: true, state: 'ready' } },
});

/**
 * The write that counts a new address. It fails unless the domain exists, is not being removed, and has the `required`
 * settings.
 */
export const addressAddedWrite = (domainId: string, required: Partial<Pick<StoredDomain, 'send_enabled'>> = {}): Write => ({
  update: directoryKeys.domain(domainId),
  add: { address_count: 1 },
  if: { equals: { ...required, state: 'ready' } },
});
/** The write that counts deleted addresses. */
export const addressRemovedWrite = (domainId: string, count = 1): Write => ({
  update: directoryKeys.domain(domainId),
  add: { address_count: -count },
  if: { present: true },
});

const nameKey = directoryKeys.domainName;

const recordsOf = directoryPartitions.domainRecords;
const recordKey = directoryKeys.domainRecord;

export const storedDomainOf = contentOf<StoredDomain>;

/** The attributes of the item `domain-name`/name. */
type DomainNameRow = { readonly domain_id: string; readonly state: 'creating' | 'ready' } & Partial<Pick<Domain, 'receive_enabled' | 'send_enabled'>>;

export const domainNameRow = rowOf<DomainNameRow>;

export const domainsIn = (table: Table): Domains => ({
  async find(id) {
    const item = await table.get(directoryKeys.domain(id));
    return item && storedDomainOf(item);
  },
  async findIdByName(name) {
    const owner = await table.get(nameKey(name));
    if (!owner) return undefined;
    const { state, domain_id: id } = domainNameRow(owner);
    return state === 'creating' ? undefined : id;
  },
  canSendCheck: (id) => ({
    check: directoryKeys.domain(id),
    if: { equals: { state: 'ready', send_enabled: true, verification_status: 'SUCCESS', dkim_status: 'SUCCESS' } },
    inTable: table.reference,
  }),
  list: (after, size) => readPage(table, directoryPartitions.domains, after, size, storedDomainOf),
  listed: (page, after, size) => readListedPage(table, 'domain', page, after, size, { keyOf: directoryKeys.domain, toRow: storedDomainOf }),
  reserve: (name, id) => reserve(table, nameKey(name), 'domain_id', id),
  release: (name, id) => release(table, nameKey(name), 'domain_id', id),
  complete: (domain, additionalWrites) =>
    tryWrite(table, [
      { put: itemOf(directoryKeys.domain(domain.id), { ...domain, state: 'ready', version: 1, address_count: 0 }), if: { absent: true } },
      ...listingWrites('domain', undefined, domain),
      readyWrite(nameKey(domain.domain), 'domain_id', domain.id, { receive_enabled: domain.receive_enabled, send_enabled: domain.send_enabled }),
      ...additionalWrites,
    ]),
  async storeProviderStatus(id, { mail_from_domain: mailFrom, ...status }, now) {
    await tryWrite(table, [
      {
        update: directoryKeys.domain(id),
        set: { ...status, ...(mailFrom !== undefined && { mail_from_domain: mailFrom }), standing_at: now.toISOString() },
        remove: mailFrom === undefined ? ['mail_from_domain'] : [],
        if: { present: true },
      },
    ]);
  },
  update: ({ id, domain, version, address_count }, settings, now, additionalWrites, checksAddressCount = false) =>
    tryWrite(table, [
      {
        update: directoryKeys.domain(id),
        set: { ...present(settings), updated_at: now.toISOString() },
        remove: absent(settings),
        add: { version: 1 },
        if: { equals: { state: 'ready', version, ...(checksAddressCount && { address_count }) } },
      },
      {
        update: nameKey(domain),
        set: { receive_enabled: settings.receive_enabled, send_enabled: settings.send_enabled },
        if: { equals: { domain_id: id, state: 'ready' } },
      },
      ...additionalWrites,
    ]),
  beginRemoval: ({ id, version }) =>
    tryWrite(table, [
      { update: directoryKeys.domain(id), set: { state: 'removing' }, add: { version: 1 }, if: { equals: { state: 'ready', version, address_count: 0 } } },
    ]),
  async finishRemoval(removed, records, additionalWrites) {
    const { id, domain } = removed;
    const remaining = await writeExcess(
      records.map((record): Write => ({ delete: recordKey(id, record) })),
      (batch) => table.write(batch),
    );
    return tryWrite(table, [
      { delete: directoryKeys.domain(id), if: { equals: { state: 'removing' } } },
      { delete: nameKey(domain), if: { equals: { domain_id: id } } },
      ...listingWrites('domain', removed, undefined),
      ...remaining,
      ...additionalWrites,
    ]);
  },
  async appliedRecords(id) {
    return (await table.query({ pk: recordsOf(id) })).map(contentOf<AppliedRecord>);
  },
  async claimRecords(id, records, additionalWrites) {
    const remaining = await writeExcess(
      records.map((record): Write => ({ put: { ...recordKey(id, record), ...record } })),
      (batch) => table.write(batch),
    );
    await tryWrite(table, [...remaining, ...additionalWrites]);
  },
  async recordApplyOutcome(id, removed, state, additionalWrites) {
    const remaining = await writeExcess(
      removed.map((record): Write => ({ delete: recordKey(id, record) })),
      (batch) => table.write(batch),
    );
    const stateWrites: Write[] = state ? [{ update: directoryKeys.domain(id), set: { dns_apply_state: state }, if: { present: true } }] : [];
    if (!(await tryWrite(table, [...stateWrites, ...remaining, ...additionalWrites]))) await tryWrite(table, [...remaining, ...additionalWrites]);
  },
});

const present = (settings: DomainSettings): { [attribute: string]: string | boolean } =>
  Object.fromEntries(Object.entries(settings).filter((entry): entry is [string, string | boolean] => entry[1] !== undefined));

const absent = (settings: DomainSettings): string[] => (['dmarc_report_email', 'spf_value'] as const).filter((name) => settings[name] === undefined);

/** Makes writes in batches until the rest fits one transaction. @returns the remaining writes. */
const writeExcess = async (writes: readonly Write[], write: (batch: readonly Write[]) => Promise<void>): Promise<readonly Write[]> => {
  const size = 90 - maxListingWrites;
  let start = 0;
  for (; writes.length - start > size; start += size) await write(writes.slice(start, start + size));
  return writes.slice(start);
};
