import { BadRequestException, ConflictException, GetAccountCommand, PutAccountDetailsCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { namingErrors, clientTimeouts } from '../../runtime/sdk-client.ts';
import { ProviderRefusal } from '../provider-errors.ts';

/** The status of SES's review for production access (AccountDetails.ReviewDetails.Status). */
export type ReviewStatus = 'PENDING' | 'GRANTED' | 'DENIED' | 'FAILED';

/** The sending limits of the AWS account in this region. */
export type SendingAccountStatus = {
  /** False in the SES sandbox, which sends only to verified addresses. */
  readonly hasProductionAccess: boolean;
  /** Maximum mails in 24 hours; undefined when there is no limit. */
  readonly max24hSend?: number;
  /** Maximum mails per second. */
  readonly maxSendRate?: number;
  readonly review?: { readonly status: ReviewStatus; readonly caseId?: string };
};

/** The details that SES requires for production access. */
export type SenderDetails = { readonly websiteUrl: string; readonly useCase: string; readonly contactAddress?: string };

/** The AWS account at the sending provider. The fake in `test/fakes/` passes the same suite. */
export type SendingAccount = {
  status(): Promise<SendingAccountStatus>;
  /**
   * Requests production access.
   * @returns false while a review is pending, and after a review that SES does not repeat.
   * @throws ProviderRefusal for details that SES refuses.
   */
  requestProductionAccess(details: SenderDetails): Promise<boolean>;
};

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
      await client.send(
        new PutAccountDetailsCommand({
          MailType: 'TRANSACTIONAL',
          ContactLanguage: 'EN',
          ProductionAccessEnabled: true,
          WebsiteURL: websiteUrl,
          UseCaseDescription: useCase,
          ...(contactAddress !== undefined && { AdditionalContactEmailAddresses: [contactAddress] }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConflictException) return false;
      if (error instanceof BadRequestException) throw new ProviderRefusal(error.message, { cause: error });
      throw error;
    }
  },
});
