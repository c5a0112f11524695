import {
  AlreadyExistsException, BadRequestException, CreateEmailIdentityCommand, DeleteEmailIdentityCommand, GetEmailIdentityCommand, LimitExceededException,
  ListEmailIdentitiesCommand, NotFoundException, paginateListEmailIdentities, SESv2Client,
} from '@aws-sdk/client-sesv2';
import { InvalidInput, LimitReached } from '../../runtime/domain-errors.ts';
import { clientTimeouts } from '../client-timeouts.ts';
import type { SenderAddresses } from './sender-addresses.ts';
import { insteadOf, statusOf } from './ses-responses.ts';

/** Our error for what SES refuses for good; anything else as it is. */
const refusal = (error: unknown): unknown => {
  if (error instanceof BadRequestException) return new InvalidInput('the sending provider does not take this email address');
  if (error instanceof LimitExceededException) return new LimitReached('the sending provider takes no more addresses');
  return error;
};

/** Email address identities of Amazon SES by its API v2. */
export const sesSenderAddresses = (client = new SESv2Client(clientTimeouts)): SenderAddresses => ({
  async register(email) {
    try {
      return await insteadOf(AlreadyExistsException, false, client.send(new CreateEmailIdentityCommand({ EmailIdentity: email })).then(() => true));
    } catch (error) {
      throw refusal(error);
    }
  },
  async find(email) {
    const found = await insteadOf(NotFoundException, undefined, client.send(new GetEmailIdentityCommand({ EmailIdentity: email })));
    return found && { email, status: statusOf(found.VerificationStatus) };
  },
  async list(after, size) {
    try {
      const { EmailIdentities: found = [], NextToken: next } = await client.send(new ListEmailIdentitiesCommand({
        NextToken: after, PageSize: size, Filter: { IDENTITY_TYPE: 'EMAIL_ADDRESS' },
      }));
      return { items: found.map(({ IdentityName: email = '', VerificationStatus: status }) => ({ email, status: statusOf(status) })), next };
    } catch (error) {
      if (after !== undefined && error instanceof BadRequestException) throw new InvalidInput('page_token has expired; start again from the first page');
      throw error;
    }
  },
  remove: (email) => insteadOf(NotFoundException, false, client.send(new DeleteEmailIdentityCommand({ EmailIdentity: email })).then(() => true)),
  async listVerifiedIdentities() {
    const names: string[] = [];
    for await (const { EmailIdentities: found = [] } of paginateListEmailIdentities({ client, pageSize: 1000 }, { Filter: { VERIFICATION_STATUS: 'SUCCESS' } })) {
      names.push(...found.flatMap(({ IdentityName: name }) => name ?? []));
    }
    return names;
  },
});
