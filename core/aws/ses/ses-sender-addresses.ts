import {
  AlreadyExistsException, BadRequestException, CreateEmailIdentityCommand, DeleteEmailIdentityCommand,
  GetEmailIdentityCommand, LimitExceededException,
  ListEmailIdentitiesCommand, NotFoundException, paginateListEmailIdentities, SESv2Client, type IdentityInfo,
} from '@aws-sdk/client-sesv2';
import { InvalidInput, LimitReached } from '../../runtime/domain-errors.ts';
import { clientTimeouts } from '../client-timeouts.ts';
import { valueOnError } from '../provider-errors.ts';
import type { SenderAddress, SenderAddresses } from './sender-addresses.ts';
import { deploymentTag } from '../../../contract/deployment/sending.ts';
import { foreignIdentity, isTagged, verificationStatus } from './ses-email-provider.ts';
import { namingErrors } from '../../runtime/naming-errors.ts';

/** Maps an error of a permanent refusal by SES to a domain error. Other errors are returned unchanged. */
const toDomainError = (error: unknown): unknown => {
  if (error instanceof BadRequestException) return new InvalidInput('the sending provider refuses this email address');
  if (error instanceof LimitExceededException) return new LimitReached('the sending provider\'s limit of addresses is reached');
  return error;
};

const toSenderAddresses = (identities: readonly IdentityInfo[] = []): SenderAddress[] => identities
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
        AlreadyExistsException, false, client.send(new CreateEmailIdentityCommand({
          EmailIdentity: email, Tags: [{ Key: deploymentTag, Value: deployment }],
        })).then(() => true),
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
    return identity !== undefined
      && valueOnError(NotFoundException, false, client.send(new DeleteEmailIdentityCommand({ EmailIdentity: email })).then(() => true));
  },
  async listVerifiedIdentities() {
    const names: string[] = [];
    for await (const { EmailIdentities: identities = [] } of paginateListEmailIdentities({ client, pageSize: 1000 }, {})) {
      names.push(...identities.flatMap(({ IdentityName: name, VerificationStatus: status }) => (name && status === 'SUCCESS' ? name : [])));
    }
    return names;
  },
});
