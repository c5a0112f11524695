/** A bounce of a message that the provider received. */
export type Bounce = {
  /** The provider's id of the received message. */
  readonly messageId: string;
  /** The sender of the bounce, an address of a domain that is verified at the provider. */
  readonly from: string;
  /** The recipients of the message to report as failed. */
  readonly recipients: readonly string[];
  /** `unknown`: the recipients do not exist or do not accept mail. `full`: their accounts have no room. */
  readonly reason: 'unknown' | 'full';
};

/**
 * The text and SES's type for each reason of a bounce. SES derives the status code from the type (RFC 3463).
 */
export const bounceReasons = {
  unknown: {
    type: 'DoesNotExist',
    status: '5.1.1',
    explanation: 'Your message was not delivered, because the address does not exist or does not accept mail.',
  },
  full: { type: 'ExceededQuota', status: '5.2.2', explanation: 'Your message was not delivered, because the mailbox of the recipient is full.' },
} as const satisfies { readonly [Reason in Bounce['reason']]: { readonly type: string; readonly status: string; readonly explanation: string } };

/** Sends bounces to the envelope sender of received messages. Adapter: `ses-bounce-sender.ts`. */
export type BounceSender = {
  /**
   * Sends a bounce in one attempt, because a second attempt after a lost response could bounce twice.
   * @throws MailRefused when the provider refuses the bounce permanently; MailSenderUnavailable when it certainly did
   * not accept it now. After any other error the outcome is unknown.
   */
  bounce(bounce: Bounce): Promise<void>;
};
