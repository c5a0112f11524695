/** A bounce of a message that the provider received. */
export type Bounce = {
  /** The provider's id of the received message. */
  readonly messageId: string;
  /** The sender of the bounce, an address of a domain that is verified at the provider. */
  readonly from: string;
  /** Recipients of the message that do not accept it. */
  readonly recipients: readonly string[];
  /** `unknown`: they do not exist or do not accept mail. `full`: their accounts have no room. */
  readonly reason: 'unknown' | 'full';
};

/** Sends bounces to the envelope sender of received messages. Adapter: `ses-bounce-sender.ts`. */
export type BounceSender = {
  /**
   * Makes one attempt, because a second one after a lost response could bounce twice.
   * @throws MailRefused when the provider refuses the bounce for good; MailSenderUnavailable when it certainly did not
   * accept it now. After any other error the outcome is unknown.
   */
  bounce(bounce: Bounce): Promise<void>;
};
