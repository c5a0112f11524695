import {
  AlreadyExistsException,
  BadRequestException,
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  LimitExceededException,
  ListEmailIdentitiesCommand,
  NotFoundException,
  paginateListEmailIdentities,
  SESv2Client,
  type IdentityInfo,
} from '@aws-sdk/client-sesv2';
import type { VerificationStatus } from '../../../contract/admin/domains.ts';
import { deploymentTag } from '../../../contract/deployment/sending.ts';
import { InvalidInput, LimitReached } from '../../runtime/domain-errors.ts';
import { namingErrors, clientTimeouts } from '../../runtime/sdk-client.ts';
import { valueOnError } from '../provider-errors.ts';
import { foreignIdentity, isTagged, verificationStatus } from './ses-email-provider.ts';

/** A single address from which mail may be sent, once its owner has followed the verification link. */
type SenderAddress = { readonly email: string; readonly status: VerificationStatus };

/** Single sender addresses at the sending provider. The fake in `test/fakes/` passes the same suite. */
export type SenderAddresses = {
  /**
   * Registers an address and marks it as registered by this deployment. The provider sends it a mail with a
   * verification link.
   * @returns false when the address is registered already; then no mail is sent.
   * @throws InvalidInput for an address that the provider refuses, LimitReached at the provider's limit of addresses.
   */
  register(email: string): Promise<boolean>;
  /** Finds an address. @returns undefined when the provider does not know the address. */
  find(email: string): Promise<SenderAddress | undefined>;
  /**
   * Returns a page of at most `size` addresses; `next` is the provider's token for the next page. A page with a `next`
   * may have fewer addresses or none, when the provider lists many domains between them.
   * @throws InvalidInput for an `after` that has expired.
   */
  list(after: string | undefined, size: number): Promise<{ readonly items: readonly SenderAddress[]; readonly next: string | undefined }>;
  /**
   * Removes an address that this deployment registered. @returns false when the provider does not know the address.
   * @throws FailedPrecondition for an address that another application registered. It stays.
   */
  remove(email: string): Promise<boolean>;
  /** Lists all identities from which mail may be sent now: addresses and domains. */
  listVerifiedIdentities(): Promise<string[]>;
};

/** Maps an error of a permanent refusal by SES to a domain error. Other errors are returned unchanged. */
const toDomainError = (error: unknown): unknown => {
  if (error instanceof BadRequestException) return new InvalidInput('the sending provider refuses this email address');
  if (error instanceof LimitExceededException) return new LimitReached("the sending provider's limit of addresses is reached");
  return error;
};

const toSenderAddresses = (identities: readonly IdentityInfo[] = []): SenderAddress[] =>
  identities
    .filter(({ IdentityType: type }) => type === 'EMAIL_ADDRESS')
    .map(({ IdentityName: email = '', VerificationStatus: status }) => ({ email, status: verificationStatus(status) }));

/** Maximum requests to SES for one page of addresses, because SES also lists domains. */
const maxRequestsPerPage = 5;

/**
 * {@link SenderAddresses} in Amazon SES (API v2), as email address identities.
 * @param deployment the value of the tag on identities that this deployment registers. A caller that neither registers
 * nor removes addresses leaves it out.
 */
export const sesSenderAddresses = (deployment = '', client = namingErrors(new SESv2Client(clientTimeouts))): SenderAddresses => ({
  async register(email) {
    try {
      return await valueOnError(
        AlreadyExistsException,
        false,
        client.send(new CreateEmailIdentityCommand({ EmailIdentity: email, Tags: [{ Key: deploymentTag, Value: deployment }] })).then(() => true),
      );
    } catch (error) {
      throw toDomainError(error);
    }
  },
  async find(email) {
    const identity = await valueOnError(NotFoundException, undefined, client.send(new GetEmailIdentityCommand({ EmailIdentity: email })));
    return identity && { email, status: verificationStatus(identity.VerificationStatus) };
  },
  async list(after, size) {
    const items: SenderAddress[] = [];
    let next = after;
    try {
      for (let requests = 0; requests < maxRequestsPerPage; requests += 1) {
        // A request never asks for more than the page lacks, because SES's token continues after the last identity of
        // the response.
        const response = await client.send(new ListEmailIdentitiesCommand({ NextToken: next, PageSize: size - items.length }));
        items.push(...toSenderAddresses(response.EmailIdentities));
        next = response.NextToken;
        if (next === undefined || items.length === size) break;
      }
      return { items, next };
    } catch (error) {
      if (after !== undefined && error instanceof BadRequestException) {
        throw new InvalidInput('page_token has expired; start again from the first page');
      }
      throw error;
    }
  },
  async remove(email) {
    const identity = await valueOnError(NotFoundException, undefined, client.send(new GetEmailIdentityCommand({ EmailIdentity: email })));
    if (identity && !isTagged(identity, deployment)) throw foreignIdentity(email, deployment);
    return (
      identity !== undefined &&
      valueOnError(
        NotFoundException,
        false,
        client.send(new DeleteEmailIdentityCommand({ EmailIdentity: email })).then(() => true),
      )
    );
  },
  async listVerifiedIdentities() {
    const names: string[] = [];
    for await (const { EmailIdentities: identities = [] } of paginateListEmailIdentities({ client, pageSize: 1000 }, {})) {
      names.push(...identities.flatMap(({ IdentityName: name, VerificationStatus: status }) => (name && status === 'SUCCESS' ? name : [])));
    }
    return names;
  },
});
