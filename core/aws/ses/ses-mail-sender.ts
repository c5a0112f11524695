import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { messageTags } from '../../../contract/sending.ts';
import { MailRefused, MailSenderUnavailable, type Mail, type MailSender } from './mail-sender.ts';

/** One attempt, because a repeated call might send twice, and time for a large message. */
export const singleAttempt = { maxAttempts: 1, requestHandler: { connectionTimeout: 2_000, requestTimeout: 20_000, throwOnRequestTimeout: true } };

/** SES's errors for a message or a sender that it refuses for good. */
const permanentErrors = new Set(
  ['MessageRejected', 'MailFromDomainNotVerifiedException', 'BadRequestException', 'AccountSuspendedException'],
);

/** Node's error codes for a connection that was never made. */
const connectionFailed = /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\b/;

type Thrown = {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
};

/** Maps an SDK error by what it says about the mail: refused for good, certainly not accepted, or unknown. */
export const toSendError = (thrown: unknown): unknown => {
  const { name = '', message = '', code = '', $metadata } = thrown as Thrown;
  if (permanentErrors.has(name)) return new MailRefused(message);
  const status = $metadata?.httpStatusCode ?? 0;
  return (status >= 400 && status < 500) || connectionFailed.test(`${code} ${message}`)
    ? new MailSenderUnavailable(name || code, { cause: thrown })
    : thrown;
};

const tagsOf = ({ submission_id, part, message_class, identity_id }: Mail) =>
  Object.entries({
    [messageTags.submissionId]: submission_id, [messageTags.part]: String(part), [messageTags.messageClass]: message_class,
    [messageTags.identityId]: identity_id,
  })
    .map(([Name, Value]) => ({ Name, Value }));

/**
 * {@link MailSender} in Amazon SES (API v2): sends the raw message to the envelope's recipients, with our configuration
 * set and with tags that SES repeats in its events.
 */
export const sesMailSender = (configurationSet: string, client = new SESv2Client(singleAttempt)): MailSender => ({
  async send(mail) {
    try {
      const { MessageId: id } = await client.send(new SendEmailCommand({
        FromEmailAddress: mail.from,
        Destination: { ToAddresses: [...mail.recipients] },
        Content: { Raw: { Data: mail.message } },
        ConfigurationSetName: configurationSet,
        EmailTags: tagsOf(mail),
      }));
      if (!id) throw new Error('SES returned no message id');
      return id;
    } catch (error) {
      throw toSendError(error);
    }
  },
});
