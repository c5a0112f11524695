import { BadRequestException, ConflictException, GetAccountCommand, PutAccountDetailsCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { clientTimeouts } from '../client-timeouts.ts';
import { ProviderRefusal } from '../provider-errors.ts';
import type { SendingAccount } from './sending-account.ts';
import { namingErrors } from '../../runtime/naming-errors.ts';

/** A limit of SES, which returns -1 when there is no limit. */
const limitOf = (value: number | undefined): number | undefined => (value === undefined || value < 0 ? undefined : value);

/** {@link SendingAccount} in Amazon SES (API v2). */
export const sesSendingAccount = (client = namingErrors(new SESv2Client(clientTimeouts))): SendingAccount => ({
  async status() {
    const { ProductionAccessEnabled: production, SendQuota: quota, Details: details } = await client.send(new GetAccountCommand({}));
    const review = details?.ReviewDetails;
    return {
      hasProductionAccess: production ?? false,
      max24hSend: limitOf(quota?.Max24HourSend),
      maxSendRate: limitOf(quota?.MaxSendRate),
      ...(review?.Status && { review: { status: review.Status, ...(review.CaseId !== undefined && { caseId: review.CaseId }) } }),
    };
  },
  async requestProductionAccess({ websiteUrl, useCase, contactAddress }) {
    try {
      await client.send(new PutAccountDetailsCommand({
        MailType: 'TRANSACTIONAL', ContactLanguage: 'EN', ProductionAccessEnabled: true, WebsiteURL: websiteUrl,
        UseCaseDescription: useCase,
        ...(contactAddress !== undefined && { AdditionalContactEmailAddresses: [contactAddress] }),
      }));
      return true;
    } catch (error) {
      if (error instanceof ConflictException) return false;
      if (error instanceof BadRequestException) throw new ProviderRefusal(error.message, { cause: error });
      throw error;
    }
  },
});
