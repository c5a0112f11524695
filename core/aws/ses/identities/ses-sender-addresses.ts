import {
  AlreadyExistsException, BadRequestException, CreateEmailIdentityCommand, DeleteEmailIdentityCommand,
  GetEmailIdentityCommand, LimitExceededException,
  ListEmailIdentitiesCommand, NotFoundException, paginateListEmailIdentities, SESv2Client, type IdentityInfo,
} from '@aws-sdk/client-sesv2';
import { InvalidInput, LimitReached } from '../../../runtime/domain-errors.ts';
import { clientTimeouts } from '../../client/client-timeouts.ts';
import { valueOnError } from '../../client/provider-errors.ts';
import type { SenderAddress, SenderAddresses } from './sender-addresses.ts';
import { verificationStatus } from './ses-email-provider.ts';

/** Maps permanent refusals of SES to domain errors, and keeps other errors. */
const toDomainError = (error: unknown): unknown => {
  if (error instanceof BadRequestException) return new InvalidInput('the sending provider refuses this email address');
  if (error instanceof LimitExceededException) return new LimitReached('the sending provider\'s limit of addresses is reached');
  return error;
};

const toSenderAddresses = (identities: readonly IdentityInfo[] = []): SenderAddress[] => identities
  .filter(({ IdentityType: type }) => type === 'EMAIL_ADDRESS')
  .map(({ IdentityName: email = '', VerificationStatus: status }) => ({ email, status: verificationStatus(status) }));

/**
 * Maximum requests to SES for one page of addresses. SES lists domains among the addresses, so that an account with
 * thousands of domains would otherwise need an unlimited number of requests.
 */
const maxRequestsPerPage = 5;

/** {@link SenderAddresses} in Amazon SES (API v2): its email address identities. */
export const sesSenderAddresses = (client = new SESv2Client(clientTimeouts)): SenderAddresses => ({
  async register(email) {
    try {
      return await valueOnError(
        AlreadyExistsException, false, client.send(new CreateEmailIdentityCommand({ EmailIdentity: email })).then(() => true),
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
        // No request asks for more than the page lacks: SES's token continues only after the last identity of a response.
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
  remove: (email) =>
    valueOnError(NotFoundException, false, client.send(new DeleteEmailIdentityCommand({ EmailIdentity: email })).then(() => true)),
  async listVerifiedIdentities() {
    const names: string[] = [];
    for await (const { EmailIdentities: identities = [] } of paginateListEmailIdentities({ client, pageSize: 1000 }, {})) {
      names.push(...identities.flatMap(({ IdentityName: name, VerificationStatus: status }) => (name && status === 'SUCCESS' ? name : [])));
    }
    return names;
  },
});
