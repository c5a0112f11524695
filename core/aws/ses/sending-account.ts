/** How far SES is with its look at who we are and what we send (AccountDetails.ReviewDetails.Status). */
export type ReviewStatus = 'PENDING' | 'GRANTED' | 'DENIED' | 'FAILED';

/** What the AWS account may send now, in this region. */
export type SendingAccountStatus = {
  /** False: what AWS calls the SES sandbox, where mail goes to verified addresses only. */
  readonly hasProductionAccess: boolean;
  /** Mails in 24 hours; undefined for no limit. */
  readonly max24hSend?: number;
  /** Mails a second. */
  readonly maxSendRate?: number;
  readonly review?: { readonly status: ReviewStatus; readonly caseId?: string };
};

/** What SES wants to know before it gives production access. */
export type SenderDetails = { readonly websiteUrl: string; readonly useCase: string; readonly contactAddress?: string };

/** Our account with who sends our mail. Adapter: `ses-sending-account.ts`; the fake in `test/fakes/` passes the same suite. */
export type SendingAccount = {
  status(): Promise<SendingAccountStatus>;
  /**
   * Asks for production access.
   * @returns false when a review is under way, or over and not to be had again.
   * @throws ProviderRefusal for details that are not taken.
   */
  requestProductionAccess(details: SenderDetails): Promise<boolean>;
};
