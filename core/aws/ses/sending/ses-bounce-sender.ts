import { SendBounceCommand, SESClient, type BounceType } from '@aws-sdk/client-ses';
import type { Bounce, BounceSender } from './bounce-sender.ts';
import { singleAttempt, toSendError } from './ses-mail-sender.ts';

/** The text and SES's type of a bounce, which becomes its status code (RFC 3463): 5.1.1 and 5.2.2. */
const reasons = {
  unknown: {
    type: 'DoesNotExist', explanation: 'Your message was not delivered, because the address does not exist or does not accept mail.',
  },
  full: { type: 'ExceededQuota', explanation: 'Your message was not delivered, because the mailbox of the recipient is full.' },
} as const satisfies { readonly [Reason in Bounce['reason']]: { readonly type: BounceType; readonly explanation: string } };

/**
 * {@link BounceSender} in Amazon SES (API v1, SendBounce): SES writes a delivery status notification (RFC 3464) with
 * the null reverse-path to the envelope sender. SES accepts one a second, until 24 hours after it received the message.
 */
export const sesBounceSender = (client = new SESClient(singleAttempt())): BounceSender => ({
  async bounce({ messageId, from, recipients, reason }) {
    const { type, explanation } = reasons[reason];
    try {
      await client.send(new SendBounceCommand({
        OriginalMessageId: messageId,
        BounceSender: from,
        Explanation: explanation,
        BouncedRecipientInfoList: recipients.map((Recipient) => ({ Recipient, BounceType: type })),
      }));
    } catch (error) {
      throw toSendError(error);
    }
  },
});
