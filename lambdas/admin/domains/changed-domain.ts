import type { domains as contract } from '../../../contract/admin/domains.ts';
import type { Request } from '../../../contract/rpc.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';
import type { EmailProvider } from '../../../core/aws/ses/email-provider.ts';
import type { Domains, DomainWishes, StoredDomain } from '../../../core/directory/domains.ts';
import { givenFields } from '../../../core/directory/given-fields.ts';
import { checkSpf } from './new-domain.ts';

type Stores = { readonly domains: Domains; readonly emailProvider: Pick<EmailProvider, 'removeDomain'>; readonly clock: Clock };
type Wanted = Request<(typeof contract)['methods']['UpdateDomain']>;

/** How often a change is begun again because the domain changed in the middle. */
const tries = 5;

const aborted = () => new RpcError('aborted', 'others are changing the domain; try again');
const beingRemoved = () => new RpcError('failed_precondition', 'the domain is being removed');

/** A domain that something can still be done with. @throws RpcError not_found, failed_precondition while it is being removed. */
export const workingDomain = (stored: StoredDomain | undefined): StoredDomain => {
  if (!stored) throw notFound('domain');
  if (stored.state === 'removing') throw beingRemoved();
  return stored;
};

const wishNames = ['dmarc_policy', 'dmarc_report_email', 'send_enabled', 'receive_enabled', 'dmarc_enabled', 'spf_mode', 'spf_value'] as const;

const wishesOf = ({ dmarc_policy, dmarc_report_email, send_enabled, receive_enabled, dmarc_enabled, spf_mode, spf_value }: DomainWishes): DomainWishes =>
  ({ dmarc_policy, dmarc_report_email, send_enabled, receive_enabled, dmarc_enabled, spf_mode, spf_value });

/**
 * Changes what is wanted of a domain; what is not given stays.
 * @param known the domain as it was just read; it is read again when it has moved meanwhile.
 * @throws RpcError not_found, invalid_argument for an SPF policy that is missing or none, failed_precondition while the domain is being removed, aborted.
 */
export const updateDomain = async ({ domains, clock }: Stores, known: StoredDomain | undefined, { id, ...changes }: Wanted, audit: Audit): Promise<StoredDomain> => {
  for (let count = 0; count < tries; count++) {
    const found = workingDomain(count === 0 ? known : await domains.find(id));
    const wishes = { ...wishesOf(found), ...givenFields(changes) };
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
 * @param known the domain as it was just read; it is read again when it has moved meanwhile.
 * @throws RpcError not_found, failed_precondition while there are addresses at the domain, aborted.
 */
export const removeDomain = async ({ domains, emailProvider }: Stores, known: StoredDomain | undefined, id: string, audit: Audit): Promise<void> => {
  for (let count = 0; count < tries; count++) {
    const found = count === 0 ? known : await domains.find(id);
    if (!found) throw notFound('domain');
    audit.about({ entity_name: found.domain, changes: changesBetween<StoredDomain>(found, {}, ['domain']) });
    if (found.state === 'ready') {
      if (found.address_count > 0) throw inUse(found.address_count);
      if (!(await domains.beginRemoval(found))) continue;
    }
    const [records] = await Promise.all([domains.appliedRecords(id), emailProvider.removeDomain(found.domain)]);
    if (!(await domains.concludeRemoval(found, records, audit.writes()))) throw notFound('domain');
    return;
  }
  throw aborted();
};
