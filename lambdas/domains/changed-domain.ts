import type { domains as contract } from '../../contract/admin/domains.ts';
import type { Request } from '../../contract/rpc.ts';
import { changesBetween, type Audit } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import { notFound, RpcError } from '../platform/rpc-error.ts';
import type { EmailProvider } from '../providers/email-provider.ts';
import type { Domains, DomainWishes, StoredDomain } from '../store/directory/domains.ts';
import { checkSpf } from './new-domain.ts';

type Stores = { readonly domains: Domains; readonly emailProvider: Pick<EmailProvider, 'removeDomain'>; readonly clock: Clock };
type Wanted = Request<(typeof contract)['methods']['UpdateDomain']>;

/** How often a change is begun again because the domain changed in the middle. */
const tries = 5;

const aborted = () => new RpcError('aborted', 'others are changing the domain; try again');
const beingRemoved = () => new RpcError('failed_precondition', 'the domain is being removed');

/** A domain that something can still be done with. @throws RpcError not_found, failed_precondition while it is being removed. */
export const workingDomain = async (domains: Pick<Domains, 'find'>, id: string): Promise<StoredDomain> => {
  const stored = await domains.find(id);
  if (!stored) throw notFound('domain');
  if (stored.state === 'removing') throw beingRemoved();
  return stored;
};

const wishNames = ['dmarc_policy', 'dmarc_report_email', 'send_enabled', 'receive_enabled', 'dmarc_enabled', 'spf_mode', 'spf_value'] as const;

const wishesOf = ({ dmarc_policy, dmarc_report_email, send_enabled, receive_enabled, dmarc_enabled, spf_mode, spf_value }: DomainWishes): DomainWishes =>
  ({ dmarc_policy, dmarc_report_email, send_enabled, receive_enabled, dmarc_enabled, spf_mode, spf_value });

const given = (wanted: Wanted): Partial<DomainWishes> =>
  Object.fromEntries(wishNames.flatMap((name) => (wanted[name] === undefined ? [] : [[name, wanted[name]]])));

/**
 * Changes what is wanted of a domain; what is not given stays.
 * @throws RpcError not_found, invalid_argument for an SPF policy that is missing or none, failed_precondition while the domain is being removed, aborted.
 */
export const updateDomain = async ({ domains, clock }: Stores, wanted: Wanted, audit: Audit): Promise<StoredDomain> => {
  for (let count = 0; count < tries; count++) {
    const found = await workingDomain(domains, wanted.id);
    const wishes = { ...wishesOf(found), ...given(wanted) };
    audit.about({ entity_name: found.domain, changes: changesBetween<DomainWishes>(found, wishes, wishNames) });
    checkSpf(wishes);
    const now = clock();
    if (await domains.update(found, wishes, now, audit.writes())) return { ...found, ...wishes, version: found.version + 1, updated_at: now.toISOString() };
  }
  throw aborted();
};

const inUse = (count: number) =>
  new RpcError('failed_precondition', `${count} ${count === 1 ? 'address of accounts and aliases is' : 'addresses of accounts and aliases are'} at this domain; delete them first`);

/**
 * Removes a domain with its identity at the provider: first nothing can be made with it any more, then the provider lets go of it, then it is gone.
 * An interrupted call is gone on with by the next one; of two calls at once one removes the domain.
 * @throws RpcError not_found, failed_precondition while there are addresses at the domain, aborted.
 */
export const removeDomain = async ({ domains, emailProvider }: Stores, id: string, audit: Audit): Promise<void> => {
  for (let count = 0; count < tries; count++) {
    const [found, addresses] = await Promise.all([domains.find(id), domains.countAddresses(id)]);
    if (!found) throw notFound('domain');
    audit.about({ entity_name: found.domain, changes: changesBetween<StoredDomain>(found, {}, ['domain']) });
    if (found.state === 'ready') {
      if (addresses > 0) throw inUse(addresses);
      if (!(await domains.beginRemoval(found))) continue;
    }
    // An address may have become ready before the first step; none can any more.
    const late = await domains.countAddresses(id);
    if (late > 0) {
      await domains.abandonRemoval(id);
      throw inUse(late);
    }
    await Promise.all([emailProvider.removeDomain(found.domain), domains.appliedRecords(id).then((records) => domains.forgetRecords(id, records))]);
    if (!(await domains.concludeRemoval(found, audit.writes()))) throw notFound('domain');
    return;
  }
  throw aborted();
};
