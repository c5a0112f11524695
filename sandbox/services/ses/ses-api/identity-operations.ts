import { z } from 'zod';
import { isDomain, identityName, type Identities, type Identity, type IdentityStatus } from '../identities/email-identities.ts';
import { dkimTokens } from '../identities/identity-verification.ts';
import { isAddress } from '../message/mail-addresses.ts';
import { badRequest } from '../message/ses-error.ts';
import { parseBody, pageOfItems, unixSeconds, tag, type SesRequest, type SesOperation } from './ses-operation.ts';

export type IdentityDependencies = {
  readonly identities: Identities;
  /** Sends the verification mail for an address. */
  readonly askForVerification: (identity: Identity) => void;
};

const domainName = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;
const nameOf = ({ parameters }: SesRequest): string => parameters['EmailIdentity'] ?? '';
const typeOf = (identity: Identity) => (isDomain(identity) ? 'DOMAIN' : 'EMAIL_ADDRESS');

const dkimAttributes = (identity: Identity, { dkim }: IdentityStatus) =>
  isDomain(identity)
    ? {
        SigningEnabled: identity.dkimSigning,
        Status: dkim,
        Tokens: dkimTokens(identity.name),
        SigningHostedZone: 'dkim.amazonses.com',
        SigningAttributesOrigin: 'AWS_SES',
        NextSigningKeyLength: 'RSA_2048_BIT',
        CurrentSigningKeyLength: 'RSA_2048_BIT',
        LastKeyGenerationTimestamp: unixSeconds(identity.createdAt),
      }
    : { SigningEnabled: false, Status: 'NOT_STARTED', SigningAttributesOrigin: 'AWS_SES', NextSigningKeyLength: 'RSA_2048_BIT' };

const identityResponse = (identity: Identity, status: IdentityStatus) => {
  const now = unixSeconds(new Date());
  return {
    IdentityType: typeOf(identity),
    FeedbackForwardingStatus: identity.feedbackForwarding,
    VerifiedForSendingStatus: status.verification === 'SUCCESS',
    VerificationStatus: status.verification,
    VerificationInfo: { LastCheckedTimestamp: now, ...(status.verification === 'SUCCESS' ? { LastSuccessTimestamp: now } : { ErrorType: 'HOST_NOT_FOUND' }) },
    DkimAttributes: dkimAttributes(identity, status),
    MailFromAttributes: {
      BehaviorOnMxFailure: identity.behaviorOnMxFailure,
      ...(identity.mailFromDomain === undefined ? {} : { MailFromDomain: identity.mailFromDomain, MailFromDomainStatus: status.mailFrom }),
    },
    Policies: {},
    Tags: identity.tags,
    ...(identity.configurationSet === undefined ? {} : { ConfigurationSetName: identity.configurationSet }),
  };
};

const createBody = z.object({
  EmailIdentity: z.string().min(1),
  Tags: z.array(tag).max(50).default([]),
  ConfigurationSetName: z.string().optional(),
  DkimSigningAttributes: z.object({ DomainSigningPrivateKey: z.undefined(), DomainSigningSelector: z.undefined() }).loose().optional(),
});

const create =
  ({ identities, askForVerification }: IdentityDependencies) =>
  async (request: SesRequest) => {
    const { EmailIdentity: name, Tags, ConfigurationSetName } = parseBody(createBody, request);
    if (!(name.includes('@') ? isAddress(name) : domainName.test(name))) throw badRequest(`Invalid email identity <${name}>.`);
    const identity = await identities.create(name, { tags: Tags, configurationSet: ConfigurationSetName });
    if (!isDomain(identity)) askForVerification(identity);
    const status = await identities.status(identity);
    return { IdentityType: typeOf(identity), VerifiedForSendingStatus: status.verification === 'SUCCESS', DkimAttributes: dkimAttributes(identity, status) };
  };

const list =
  ({ identities }: IdentityDependencies) =>
  async ({ query }: SesRequest) => {
    const size = query.get('PageSize');
    const all = await Promise.all(
      (await identities.list()).map(async (identity) => {
        const { verification } = await identities.status(identity);
        return { IdentityType: typeOf(identity), IdentityName: identity.name, SendingEnabled: verification === 'SUCCESS', VerificationStatus: verification };
      }),
    );
    const { items, ...more } = pageOfItems(all, size === null ? undefined : Number(size), query.get('NextToken') ?? undefined);
    return { EmailIdentities: items, ...more };
  };

const mailFromBody = z.object({
  MailFromDomain: z.string().optional(),
  BehaviorOnMxFailure: z.enum(['USE_DEFAULT_VALUE', 'REJECT_MESSAGE']).default('USE_DEFAULT_VALUE'),
});

const putMailFrom =
  ({ identities }: IdentityDependencies) =>
  async (request: SesRequest) => {
    const { MailFromDomain, BehaviorOnMxFailure } = parseBody(mailFromBody, request);
    await identities.change(nameOf(request), (identity) => {
      const parent = identityName(identity.name).split('@').at(-1)!;
      const domain = MailFromDomain?.toLowerCase();
      if (domain && (!domainName.test(domain) || !domain.endsWith(`.${parent}`))) {
        throw badRequest(`Provided MAIL-FROM domain <${MailFromDomain}> is not subdomain of the domain of the identity <${identity.name}>.`);
      }
      identity.mailFromDomain = domain || undefined;
      identity.behaviorOnMxFailure = BehaviorOnMxFailure;
    });
    return {};
  };

/** A PUT operation that sets one property of an identity. */
const put =
  <Shape extends z.ZodType>({ identities }: IdentityDependencies, schema: Shape, apply: (identity: Identity, body: z.infer<Shape>) => void) =>
  async (request: SesRequest) => {
    const body = parseBody(schema, request);
    await identities.change(nameOf(request), (identity) => apply(identity, body));
    return {};
  };

/** The operations on identities. */
export const identityOperations = (dependencies: IdentityDependencies): SesOperation[] => {
  const { identities } = dependencies;
  return [
    { method: 'POST', path: '/identities', run: create(dependencies) },
    { method: 'GET', path: '/identities', run: list(dependencies) },
    {
      method: 'GET',
      path: '/identities/{EmailIdentity}',
      async run(request) {
        const identity = await identities.get(nameOf(request));
        return identityResponse(identity, await identities.status(identity));
      },
    },
    {
      method: 'DELETE',
      path: '/identities/{EmailIdentity}',
      async run(request) {
        await identities.remove((await identities.get(nameOf(request))).name);
        return {};
      },
    },
    { method: 'PUT', path: '/identities/{EmailIdentity}/mail-from', run: putMailFrom(dependencies) },
    {
      method: 'PUT',
      path: '/identities/{EmailIdentity}/dkim',
      run: put(dependencies, z.object({ SigningEnabled: z.boolean().default(false) }), (identity, body) => {
        identity.dkimSigning = body.SigningEnabled;
      }),
    },
    {
      method: 'PUT',
      path: '/identities/{EmailIdentity}/feedback',
      run: put(dependencies, z.object({ EmailForwardingEnabled: z.boolean().default(false) }), (identity, body) => {
        identity.feedbackForwarding = body.EmailForwardingEnabled;
      }),
    },
    {
      method: 'PUT',
      path: '/identities/{EmailIdentity}/configuration-set',
      run: put(dependencies, z.object({ ConfigurationSetName: z.string().optional() }), (identity, body) => {
        identity.configurationSet = body.ConfigurationSetName;
      }),
    },
  ];
};
