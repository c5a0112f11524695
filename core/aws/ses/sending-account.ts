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

/**
 * The AWS account at the sending provider. Adapter: `ses-sending-account.ts`; the fake in `test/fakes/` passes the same
 * suite.
 */
export type SendingAccount = {
  status(): Promise<SendingAccountStatus>;
  /**
   * Requests production access.
   * @returns false while a review is pending, and after a review that SES does not repeat.
   * @throws ProviderRefusal for details that SES refuses.
   */
  requestProductionAccess(details: SenderDetails): Promise<boolean>;
};
