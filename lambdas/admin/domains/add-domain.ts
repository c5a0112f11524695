import { domains as contract } from '../../../contract/admin/domains.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import type { DomainIdentity } from '../../../core/aws/ses/ses-email-provider.ts';
import type { NewDomain, StoredDomain } from '../../../core/directory/domains/domains.ts';
import { reserveWhileCreating } from '../../../core/directory/reservation.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { DomainError } from '../../../core/runtime/domain-errors.ts';
import { mailFromDomainOf } from './domain-dns-records.ts';
import { providerStatus } from './domain-provider-status.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';
import { assertValidSpf, toDomain } from './stored-domain.ts';

type Dependencies = Pick<DomainsDependencies, 'domains' | 'emailProvider' | 'mailDomain' | 'newId' | 'clock'>;
type AddDomain = typeof contract.methods.AddDomain;

/** Maximum characters of a host name (RFC 1035 §2.3.4). The MAIL FROM subdomain must not have more. */
const maxHostNameLength = 253;

/** Sets the MAIL FROM subdomain of the deployment's own identity, and stops reports by mail. It may be repeated. */
const configureIdentity = async (emailProvider: Dependencies['emailProvider'], domain: string, identity: DomainIdentity): Promise<DomainIdentity> => {
  const mailFrom = mailFromDomainOf(domain);
  await Promise.all([
    identity.mail_from_domain === mailFrom ? undefined : emailProvider.setMailFrom(domain, mailFrom),
    identity.forwardsFeedback ? emailProvider.stopFeedbackForwarding(domain) : undefined,
  ]);
  return { ...identity, mail_from_domain: mailFrom, forwardsFeedback: false };
};

/** Describes the existing identity of the AWS account, so that the operator can decide. */
const foreignIdentity = (domain: string, identity: DomainIdentity): RpcError => {
  const { verification_status: verification, dkim_enabled: dkim, mail_from_domain: mailFrom } = identity;
  const found = `verification ${verification}, DKIM signing ${dkim ? 'on' : 'off'}, MAIL FROM ${mailFrom ?? 'not set'}`;
  return new RpcError(
    'failed_precondition',
    `SES in this AWS account has an identity ${domain} that this deployment did not register (${found}). Another application may ` +
      'use it. To send from it unchanged, set adopt_existing; else delete it in SES first',
  );
};

/**
 * Prepares the identity. The deployment's own identity is configured; an identity that another application registered
 * is left unchanged. When the provider refuses MAIL FROM, the deployment's own identity is removed again.
 * @throws RpcError failed_precondition for the identity of another application, unless the call adopts it.
 */
const prepareIdentity = async (
  emailProvider: Dependencies['emailProvider'],
  { domain, adopt_existing: adopts }: Request<AddDomain>,
  identity: DomainIdentity,
): Promise<DomainIdentity> => {
  if (!identity.isOwn) {
    if (adopts) return identity;
    throw foreignIdentity(domain, identity);
  }
  try {
    return await configureIdentity(emailProvider, domain, identity);
  } catch (error) {
    if (error instanceof DomainError) await emailProvider.removeDomain(domain);
    throw error;
  }
};

/**
 * Adds a domain. Its name is reserved while the domain is registered with the provider. Then one transaction creates
 * the record. The next call completes an interrupted one. Of two concurrent calls, one completes the domain and the
 * other throws already_exists.
 * @param existingId the id of the domain that has the name.
 * @throws RpcError already_exists; failed_precondition for an identity that others registered; invalid_argument and
 * resource_exhausted from the provider. After the last three errors the name is available again.
 */
const add = async (
  { domains, emailProvider, newId, clock }: Dependencies,
  existingId: string | undefined,
  request: Request<AddDomain>,
  audit: Audit,
): Promise<StoredDomain> => {
  audit.describe({ entity_name: request.domain });
  assertValidSpf(request);
  if (mailFromDomainOf(request.domain).length > maxHostNameLength) {
    throw new RpcError('invalid_argument', 'domain is too long for its MAIL FROM subdomain');
  }
  const alreadyExists = new RpcError('already_exists', 'this domain already exists');
  if (existingId !== undefined) throw alreadyExists;
  const [{ id, isReady }, registered] = await reserveWhileCreating(
    domains.reserve(request.domain, newId('domain')),
    emailProvider.createDomain(request.domain),
  );
  if (isReady) throw alreadyExists;
  const identity = await registered()
    .then((created) => prepareIdentity(emailProvider, request, created))
    .catch(async (error: unknown) => {
      if (error instanceof DomainError || error instanceof RpcError) await domains.release(request.domain, id);
      throw error;
    });
  const now = clock().toISOString();
  const { adopt_existing: _, ...settings } = request;
  const adopted = !identity.isOwn;
  const domain: NewDomain = { id, ...settings, adopted, ...providerStatus(identity), standing_at: now, created_at: now, updated_at: now };
  const changes = changesBetween<NewDomain>({}, domain, ['domain', 'send_enabled', 'receive_enabled', 'dmarc_enabled', 'dmarc_policy', 'spf_mode']);
  audit.describe({ entity_id: id, changes });
  if (!(await domains.complete(domain, audit.successWrites()))) throw alreadyExists;
  return { ...domain, state: 'ready', version: 1, address_count: 0 };
};

const method = (contractMethod: AddDomain, dependencies: Dependencies) =>
  adminMethod(contractMethod, {
    prefetch: ({ domain }) => dependencies.domains.findIdByName(domain),
    run: async (request, { audit }, existingId) => ({ domain: toDomain(await add(dependencies, existingId, request, audit), dependencies.mailDomain) }),
  });

export const addDomain = (dependencies: Dependencies) => method(contract.methods.AddDomain, dependencies);

/** Implements CreateDomain, another name of AddDomain. */
export const createDomain = (dependencies: Dependencies) => method(contract.methods.CreateDomain, dependencies);
