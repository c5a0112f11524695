import type { DNSApplyState, Domain } from '../../contract/admin/domains.ts';
import { contentOf, type Item, type Table, type Value, type Write } from '../storage/table.ts';
import { readPage, type Page } from '../storage/page.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import { readyWrite, release, reserve, type Reservation } from './reservation.ts';

/** What the provider said about a domain. */
export type ProviderStatus = Pick<Domain, 'verification_status' | 'dkim_status' | 'dkim_enabled' | 'mail_from_domain'>;

/** A domain as it is made. */
export type NewDomain = Omit<Domain, 'is_primary' | 'dns_validation'> & { readonly standing_at: string };

/** A domain as it is kept: what we want of it, and what the provider last said, with the moment when (RFC 3339). */
export type StoredDomain = NewDomain & {
  /** `removing`: no address can be made there any more, and it is gone when the provider has let go of it. */
  readonly state: 'ready' | 'removing';
  /** Moves with every change of what is wanted. */
  readonly version: number;
  /** Addresses of accounts and aliases at the domain; moves in the transactions that make and free them. */
  readonly address_count: number;
};

/** What somebody may want otherwise of a domain. */
export type DomainSettings = Pick<Domain, 'dmarc_policy' | 'dmarc_report_email' | 'send_enabled' | 'receive_enabled' | 'dmarc_enabled' | 'spf_mode' | 'spf_value'>;

/** A value that we wrote, or were about to write, at a name of the domain's DNS: what ApplyDomainRecords may change and DeleteDomainRecord remove. */
export type AppliedRecord = { readonly name: string; readonly record_type: 'CNAME' | 'MX' | 'TXT' | 'SRV'; readonly value: string };

/**
 * Domains. `domain`/id is the record, `domain-name`/name makes a name belong to one domain only; the latter also says whether the domain receives,
 * so that delivery reads no more than it. `domain-records#id`/type name value is a DNS record of ours.
 */
export type Domains = {
  find(id: string): Promise<StoredDomain | undefined>;
  /** The id of the domain that has the name; undefined also while there is none to be found yet. */
  findIdByName(name: string): Promise<string | undefined>;
  /** A condition for a transaction: the domain is verified, as far as we know, and may send. */
  canSendCheck(id: string): Write;
  list(after: string | undefined, size: number): Promise<Page<StoredDomain>>;
  /** Takes the name for a domain to be made, or finds which has taken it. */
  reserve(name: string, id: string): Promise<Reservation>;
  /** Gives back a name that was reserved and can't be made into a domain; nothing once it is complete. */
  release(name: string, id: string): Promise<void>;
  /** Makes a reserved domain complete, in one transaction with what is to be written also. @returns false when somebody else was faster. */
  complete(domain: NewDomain, also: readonly Write[]): Promise<boolean>;
  /** Keeps what the provider said; nothing for a domain that is gone. */
  storeProviderStatus(id: string, standing: ProviderStatus, now: Date): Promise<void>;
  /** Changes what is wanted of a domain, with what is to be written also. @returns false when the domain is not as it was found any more. */
  update(found: StoredDomain, wishes: DomainSettings, now: Date, also: readonly Write[]): Promise<boolean>;
  /** The first step of a removal: from here on no address can be made there. @returns false when the domain is not as it was found any more, or has addresses. */
  beginRemoval(found: StoredDomain): Promise<boolean>;
  /** The last step, with its records and what is to be written also. @returns false when somebody else was faster. */
  finishRemoval(found: StoredDomain, records: readonly AppliedRecord[], also: readonly Write[]): Promise<boolean>;
  appliedRecords(id: string): Promise<AppliedRecord[]>;
  /** Remembers records as ours before they are written, so that an interrupted call leaves none that nobody knows of, with what is to be written also. */
  claimRecords(id: string, records: readonly AppliedRecord[], also: readonly Write[]): Promise<void>;
  /** Forgets records that are not there any more and keeps how an attempt at the domain's DNS went, with what is to be written also; no state for a domain that is gone. */
  recordApplyOutcome(id: string, forgotten: readonly AppliedRecord[], state: DNSApplyState | undefined, also: readonly Write[]): Promise<void>;
};

/** The condition under which an address may send from its domain. */
export const domainSendsCheck = (domainId: string): Write => ({ check: { pk: 'domain', sk: domainId }, if: { equals: { send_enabled: true, state: 'ready' } } });

/** An address at the domain comes or goes; one comes only to a domain that is there, is not being removed, and is as `wanted` says. */
export const addressAddedWrite = (domainId: string, wanted: Partial<Pick<StoredDomain, 'send_enabled'>> = {}): Write =>
  ({ update: { pk: 'domain', sk: domainId }, add: { address_count: 1 }, if: { equals: { ...wanted, state: 'ready' } } });
export const addressRemovedWrite = (domainId: string): Write => ({ update: { pk: 'domain', sk: domainId }, add: { address_count: -1 }, if: { present: true } });

const nameKey = (name: string) => ({ pk: 'domain-name', sk: name });

const recordsOf = (id: string): string => `domain-records#${id}`;
const recordKey = (id: string, { record_type: type, name, value }: AppliedRecord) => ({ pk: recordsOf(id), sk: `${type} ${name} ${value}` });

const domainOf = (item: Item): StoredDomain => contentOf(item) as StoredDomain;

export const domainsIn = (table: Table): Domains => ({
  async find(id) {
    const item = await table.get({ pk: 'domain', sk: id });
    return item && domainOf(item);
  },
  async findIdByName(name) {
    const owner = await table.get(nameKey(name));
    return owner && owner['state'] !== 'creating' ? owner['domain_id'] as string : undefined;
  },
  canSendCheck: (id) => ({
    check: { pk: 'domain', sk: id }, if: { equals: { state: 'ready', send_enabled: true, verification_status: 'SUCCESS', dkim_status: 'SUCCESS' } }, in: table.place,
  }),
  list: (after, size) => readPage(table, 'domain', after, size, domainOf),
  reserve: (name, id) => reserve(table, nameKey(name), 'domain_id', id),
  release: (name, id) => release(table, nameKey(name), 'domain_id', id),
  complete: (domain, also) => tryWrite(table, [
    { put: { pk: 'domain', sk: domain.id, ...domain, state: 'ready', version: 1, address_count: 0 } as unknown as Item, if: { absent: true } },
    readyWrite(nameKey(domain.domain), 'domain_id', domain.id, { receive_enabled: domain.receive_enabled }),
    ...also,
  ]),
  async storeProviderStatus(id, { mail_from_domain: mailFrom, ...standing }, now) {
    await tryWrite(table, [{
      update: { pk: 'domain', sk: id },
      set: { ...standing, ...(mailFrom !== undefined && { mail_from_domain: mailFrom }), standing_at: now.toISOString() },
      remove: mailFrom === undefined ? ['mail_from_domain'] : [],
      if: { present: true },
    }]);
  },
  update: ({ id, domain, version }, wishes, now, also) => tryWrite(table, [
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
    tryWrite(table, [{ update: { pk: 'domain', sk: id }, set: { state: 'removing' }, add: { version: 1 }, if: { equals: { state: 'ready', version, address_count: 0 } } }]),
  async finishRemoval({ id, domain }, records, also) {
    const last = await allButTheLast(records.map((record): Write => ({ delete: recordKey(id, record) })), (batch) => table.write(batch));
    return tryWrite(table, [
      { delete: { pk: 'domain', sk: id }, if: { equals: { state: 'removing' } } },
      { delete: nameKey(domain), if: { equals: { domain_id: id } } },
      ...last,
      ...also,
    ]);
  },
  async appliedRecords(id) {
    return (await table.query({ pk: recordsOf(id) })).map((item) => contentOf(item) as AppliedRecord);
  },
  async claimRecords(id, records, also) {
    const last = await allButTheLast(records.map((record): Write => ({ put: { ...recordKey(id, record), ...record } })), (batch) => table.write(batch));
    await tryWrite(table, [...last, ...also]);
  },
  async recordApplyOutcome(id, forgotten, state, also) {
    const last = await allButTheLast(forgotten.map((record): Write => ({ delete: recordKey(id, record) })), (batch) => table.write(batch));
    const kept: Write[] = state ? [{ update: { pk: 'domain', sk: id }, set: { dns_apply_state: state as unknown as Value }, if: { present: true } }] : [];
    if (!(await tryWrite(table, [...kept, ...last, ...also]))) await tryWrite(table, [...last, ...also]);
  },
});

const present = (wishes: DomainSettings): { [attribute: string]: string | boolean } =>
  Object.fromEntries(Object.entries(wishes).filter((entry): entry is [string, string | boolean] => entry[1] !== undefined));

const absent = (wishes: DomainSettings): string[] => (['dmarc_report_email', 'spf_value'] as const).filter((name) => wishes[name] === undefined);

/** Records are few, but a transaction takes at most 100 writes: makes those that there is no room for beside others. @returns the rest. */
const allButTheLast = async (writes: readonly Write[], write: (batch: readonly Write[]) => Promise<void>): Promise<readonly Write[]> => {
  const size = 90;
  let start = 0;
  for (; writes.length - start > size; start += size) await write(writes.slice(start, start + size));
  return writes.slice(start);
};
