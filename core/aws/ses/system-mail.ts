/** A mail of the deployment itself, to one address. It is stored nowhere, and SES reports no events of it. */
export type SystemMail = {
  /** The sender, at a domain of the deployment. */
  readonly from: string;
  readonly to: string;
  /** The address for replies, because nobody reads those to the sender. */
  readonly replyTo: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

/** Sends mails of the deployment. Adapter: `ses-system-mail.ts`; the fake in `test/fakes/` passes the same suite. */
export type SystemMailSender = {
  /**
   * Sends a mail in one attempt.
   * @throws MailRefused when the provider refuses the mail permanently; MailSenderUnavailable when the provider certainly
   * did not accept it now. After any other error the outcome is unknown.
   */
  send(mail: SystemMail): Promise<void>;
};
