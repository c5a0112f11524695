import { SendBounceCommand, SESClient } from '@aws-sdk/client-ses';
import { namingErrors } from '../../runtime/naming-errors.ts';
import { bounceReasons, type BounceSender } from './bounce-sender.ts';
import { singleAttempt, toSendError } from './ses-mail-sender.ts';

/**
 * {@link BounceSender} in Amazon SES (API v1, SendBounce): SES writes a delivery status notification (RFC 3464) with
 * the null reverse-path to the envelope sender. SES accepts one bounce a second, until 24 hours after it received the
 * message.
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
