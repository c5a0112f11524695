import {
  AlreadyExistsException, BadRequestException, CreateEmailIdentityCommand, DeleteEmailIdentityCommand,
  GetEmailIdentityCommand, LimitExceededException,
  ListEmailIdentitiesCommand, NotFoundException, paginateListEmailIdentities, SESv2Client,
} from '@aws-sdk/client-sesv2';
import { InvalidInput, LimitReached } from '../../runtime/domain-errors.ts';
import { clientTimeouts } from '../client-timeouts.ts';
import { valueOnError } from '../provider-errors.ts';
import type { SenderAddresses } from './sender-addresses.ts';
import { verificationStatus } from './ses-email-provider.ts';

/** Maps permanent refusals of SES to domain errors, and keeps other errors. */
const toDomainError = (error: unknown): unknown => {
  if (error instanceof BadRequestException) return new InvalidInput('the sending provider refuses this email address');
  if (error instanceof LimitExceededException) return new LimitReached('the sending provider\'s limit of addresses is reached');
  return error;
};

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
    const found = await valueOnError(NotFoundException, undefined, client.send(new GetEmailIdentityCommand({ EmailIdentity: email })));
    return found && { email, status: verificationStatus(found.VerificationStatus) };
  },
  async list(after, size) {
    try {
      const { EmailIdentities: found = [], NextToken: next } = await client.send(new ListEmailIdentitiesCommand({
        NextToken: after, PageSize: size, Filter: { IDENTITY_TYPE: 'EMAIL_ADDRESS' },
      }));
      return { items: found.map(({ IdentityName: email = '', VerificationStatus: status }) => ({ email, status: verificationStatus(status) })), next };
    } catch (error) {
      if (after !== undefined && error instanceof BadRequestException) {
        throw new InvalidInput('page_token has expired; start again from the first page');
      }
      throw error;
    }
  },
  remove: (email) => valueOnError(NotFoundException, false, client.send(new DeleteEmailIdentityCommand({ EmailIdentity: email })).then(() => true)),
  async listVerifiedIdentities() {
    const names: string[] = [];
    for await (const { EmailIdentities: found = [] } of paginateListEmailIdentities({ client, pageSize: 1000 }, { Filter: { VERIFICATION_STATUS: 'SUCCESS' } })) {
      names.push(...found.flatMap(({ IdentityName: name }) => name ?? []));
    }
    return names;
  },
});
