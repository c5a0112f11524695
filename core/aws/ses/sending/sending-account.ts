/** The status of SES's review for production access (AccountDetails.ReviewDetails.Status). */
export type ReviewStatus = 'PENDING' | 'GRANTED' | 'DENIED' | 'FAILED';

/** The limits of sending of the AWS account in this region. */
export type SendingAccountStatus = {
  /** False in the SES sandbox, which sends to verified addresses only. */
  readonly hasProductionAccess: boolean;
  /** Mails in 24 hours; undefined for no limit. */
  readonly max24hSend?: number;
  /** Mails a second. */
  readonly maxSendRate?: number;
  readonly review?: { readonly status: ReviewStatus; readonly caseId?: string };
};

/** The details that SES requires for production access. */
export type SenderDetails = { readonly websiteUrl: string; readonly useCase: string; readonly contactAddress?: string };

/**
 * Our account at the sending provider. Adapter: `ses-sending-account.ts`; the fake in `test/fakes/` passes the same
 * suite.
 */
export type SendingAccount = {
  status(): Promise<SendingAccountStatus>;
  /**
   * Requests production access.
   * @returns false while a review is pending, and after one that SES does not repeat.
   * @throws ProviderRefusal for details that SES refuses.
   */
  requestProductionAccess(details: SenderDetails): Promise<boolean>;
};
