import { SendBounceCommand, SESClient } from '@aws-sdk/client-ses';
import { namingErrors } from '../../runtime/sdk-client.ts';
import { singleAttempt, toSendError } from './ses-mail-sender.ts';

/** A bounce of a message that the provider received. */
export type Bounce = {
  /** The provider's id of the received message. */
  readonly messageId: string;
  /** The sender of the bounce, an address of a domain that is verified at the provider. */
  readonly from: string;
  /** The recipients of the message to report as failed. */
  readonly recipients: readonly string[];
  /**
   * `unknown`: the recipients do not exist or do not accept mail. `full`: their accounts have no room. `returned`: the
   * message could not be delivered, and an admin returned it. `refused`: the author may not write to the group.
   */
  readonly reason: keyof typeof bounceReasons;
};

/** Hours after which SES no longer bounces a message that it received. */
export const bounceHours = 24;

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
  returned: { type: 'Undefined', status: '5.0.0', explanation: 'Your message was not delivered, because of a failure at the mail service of the recipient.' },
  refused: { type: 'Undefined', status: '5.0.0', explanation: 'Your message was not delivered, because the address does not accept messages from you.' },
} as const satisfies { readonly [reason: string]: { readonly type: string; readonly status: string; readonly explanation: string } };

/** Sends bounces to the envelope sender of received messages. Adapter: {@link sesBounceSender}. */
export type BounceSender = {
  /**
   * Sends a bounce in one attempt, because a second attempt after a lost response could bounce twice.
   * @throws MailRefused when the provider refuses the bounce permanently; MailSenderUnavailable when it certainly did
   * not accept it now. After any other error the outcome is unknown.
   */
  bounce(bounce: Bounce): Promise<void>;
};

/**
 * {@link BounceSender} in Amazon SES (API v1, SendBounce): SES writes a delivery status notification (RFC 3464) with
 * the null reverse-path to the envelope sender. SES accepts one bounce a second, and none after {@link bounceHours}.
 */
export const sesBounceSender = (client = namingErrors(new SESClient(singleAttempt()))): BounceSender => ({
  async bounce({ messageId, from, recipients, reason }) {
    const { type, explanation } = bounceReasons[reason];
    try {
      await client.send(
        new SendBounceCommand({
          OriginalMessageId: messageId,
          BounceSender: from,
          Explanation: explanation,
          BouncedRecipientInfoList: recipients.map((Recipient) => ({ Recipient, BounceType: type })),
        }),
      );
    } catch (error) {
      throw toSendError(error);
    }
  },
});
