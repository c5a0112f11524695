import type { domains as contract } from '../../../contract/admin/domains.ts';
import type { Request } from '../../../contract/rpc.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { DomainError } from '../../../core/runtime/domain-errors.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { DomainIdentity, EmailProvider } from '../../../core/aws/ses/email-provider.ts';
import type { Domains, NewDomain, StoredDomain } from '../../../core/directory/domains.ts';
import { reservedWhile } from '../../../core/directory/reservation.ts';
import { mailFromDomainOf } from './dns-records.ts';
import { standingOf } from './standing.ts';

type Stores = { readonly domains: Domains; readonly emailProvider: EmailProvider; readonly newId: NewId; readonly clock: Clock };
type Wanted = Request<(typeof contract)['methods']['AddDomain']>;

/** @throws RpcError invalid_argument for an SPF policy that is missing or none (RFC 7208 §4.5). */
export const checkSpf = ({ spf_mode: mode, spf_value: value }: Pick<Wanted, 'spf_mode' | 'spf_value'>): void => {
  if (mode === 'FORCE_VALUE' && value === undefined) throw new RpcError('invalid_argument', 'spf_value is required with FORCE_VALUE');
  if (value !== undefined && !/^v=spf1( |$)/i.test(value)) throw new RpcError('invalid_argument', 'spf_value must begin with v=spf1');
};

/** The longest host name (RFC 1035 §2.3.4), and so the longest MAIL FROM subdomain. */
const longestName = 253;

/** Gives the domain its MAIL FROM subdomain, unless an earlier call did. */
const withMailFrom = async (emailProvider: EmailProvider, name: string, identity: DomainIdentity): Promise<DomainIdentity> => {
  const mailFrom = mailFromDomainOf(name);
  if (identity.mail_from_domain !== mailFrom) await emailProvider.setMailFrom(name, mailFrom);
  return { ...identity, mail_from_domain: mailFrom };
};

/**
 * Makes a domain: its name is taken while it is registered with the provider, then one transaction makes it known. An interrupted call is gone on
 * with by the next one; of two calls at once one completes the domain.
 * @param known the domain that has the name already.
 * @throws RpcError already_exists; invalid_argument and resource_exhausted from the provider, after which the name is free again.
 */
export const addDomain = async ({ domains, emailProvider, newId, clock }: Stores, known: string | undefined, wanted: Wanted, audit: Audit): Promise<StoredDomain> => {
  audit.about({ entity_name: wanted.domain });
  checkSpf(wanted);
  if (mailFromDomainOf(wanted.domain).length > longestName) throw new RpcError('invalid_argument', 'domain is too long for its MAIL FROM subdomain');
  const taken = new RpcError('already_exists', 'there is such a domain already');
  if (known !== undefined) throw taken;
  const [{ id, isReady }, registered] = await reservedWhile(domains.reserve(wanted.domain, newId('domain')), emailProvider.createDomain(wanted.domain));
  if (isReady) throw taken;
  const identity = await registered().then((made) => withMailFrom(emailProvider, wanted.domain, made)).catch(async (error: unknown) => {
    if (error instanceof DomainError) await domains.release(wanted.domain, id);
    throw error;
  });
  const at = clock().toISOString();
  const domain: NewDomain = { id, ...wanted, ...standingOf(identity), standing_at: at, created_at: at, updated_at: at };
  audit.about({ entity_id: id, changes: changesBetween<NewDomain>({}, domain, ['domain', 'send_enabled', 'receive_enabled', 'dmarc_enabled', 'dmarc_policy', 'spf_mode']) });
  if (!(await domains.complete(domain, audit.writes()))) throw taken;
  return { ...domain, state: 'ready', version: 1, address_count: 0 };
};
