import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { singleAttempt, toSendError } from './ses-mail-sender.ts';
import type { SystemMailSender } from './system-mail.ts';
import { namingErrors } from '../../runtime/naming-errors.ts';

/** {@link SystemMailSender} in Amazon SES (API v2), which composes the message. */
export const sesSystemMail = (client = namingErrors(new SESv2Client(singleAttempt()))): SystemMailSender => ({
  async send({ from, to, replyTo, subject, text, html }) {
    const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });
    try {
      await client.send(new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        ...(replyTo !== undefined && { ReplyToAddresses: [replyTo] }),
        Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text), Html: utf8(html) } } },
      }));
    } catch (error) {
      throw toSendError(error, { from, recipients: [to] });
    }
  },
});
