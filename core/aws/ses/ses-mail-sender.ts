import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { messageTags } from '../../../contract/sending.ts';
import { MailRefused, MailSenderUnavailable, type Mail, type MailSender } from './mail-sender.ts';

/** One try, and time for a large message: a call that is repeated might send twice. */
const once = { maxAttempts: 1, requestHandler: { connectionTimeout: 2_000, requestTimeout: 20_000, throwOnRequestTimeout: true } };

/** What SES says of a message or a sender that will not get better by waiting. */
const forGood = new Set(['MessageRejected', 'MailFromDomainNotVerifiedException', 'BadRequestException', 'AccountSuspendedException']);

/** Under which Node says that there was no connection to send anything through. */
const notReached = /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\b/;

type Thrown = { readonly name?: string; readonly message?: string; readonly code?: string; readonly $metadata?: { readonly httpStatusCode?: number } };

/** What is certain about a send that threw. */
const certainty = (thrown: unknown): unknown => {
  const { name = '', message = '', code = '', $metadata } = thrown as Thrown;
  if (forGood.has(name)) return new MailRefused(message);
  const status = $metadata?.httpStatusCode ?? 0;
  return (status >= 400 && status < 500) || notReached.test(`${code} ${message}`) ? new MailSenderUnavailable(name || code, { cause: thrown }) : thrown;
};

const tagsOf = ({ submission_id, part, message_class, identity_id }: Mail) =>
  Object.entries({ [messageTags.submissionId]: submission_id, [messageTags.part]: String(part), [messageTags.messageClass]: message_class, [messageTags.identityId]: identity_id })
    .map(([Name, Value]) => ({ Name, Value }));

/** Amazon SES by its API v2: the raw message as it is, the envelope's recipients, our configuration set, and tags that come back with every report. */
export const sesMailSender = (configurationSet: string, client = new SESv2Client(once)): MailSender => ({
  async send(mail) {
    try {
      const { MessageId: id } = await client.send(new SendEmailCommand({
        FromEmailAddress: mail.from,
        Destination: { ToAddresses: [...mail.recipients] },
        Content: { Raw: { Data: mail.message } },
        ConfigurationSetName: configurationSet,
        EmailTags: tagsOf(mail),
      }));
      if (!id) throw new Error('SES took a message and told no id');
      return id;
    } catch (error) {
      throw certainty(error);
    }
  },
});
