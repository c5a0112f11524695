import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { namingErrors } from '../../runtime/sdk-client.ts';
import { singleAttempt, toSendError } from './ses-mail-sender.ts';

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

/** Sends mails of the deployment. The fake in `test/fakes/` passes the same suite. */
export type SystemMailSender = {
  /**
   * Sends a mail in one attempt.
   * @throws MailRefused when the provider refuses the mail permanently; MailSenderUnavailable when the provider certainly
   * did not accept it now. After any other error the outcome is unknown.
   */
  send(mail: SystemMail): Promise<void>;
};

/** {@link SystemMailSender} in Amazon SES (API v2), which composes the message. */
export const sesSystemMail = (client = namingErrors(new SESv2Client(singleAttempt()))): SystemMailSender => ({
  async send({ from, to, replyTo, subject, text, html }) {
    const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });
    try {
      await client.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          ...(replyTo !== undefined && { ReplyToAddresses: [replyTo] }),
          Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text), Html: utf8(html) } } },
        }),
      );
    } catch (error) {
      throw toSendError(error, { from, recipients: [to] });
    }
  },
});
