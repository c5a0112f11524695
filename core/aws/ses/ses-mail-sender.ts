import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import type { MessageClass } from '../../../contract/admin/mail-feedback.ts';
import { messageTags } from '../../../contract/deployment/sending.ts';
import { namingErrors } from '../../runtime/sdk-client.ts';

/** One message for up to 50 recipients. */
export type Mail = {
  readonly submission_id: string;
  /** Number of the part within the submission. */
  readonly part: number;
  /** The sender of the envelope. */
  readonly from: string;
  readonly recipients: readonly string[];
  /** The raw message (RFC 5322). */
  readonly message: Uint8Array;
  readonly message_class: MessageClass;
  readonly identity_id: string;
};

/** Sends mail in one attempt, because a second attempt could send it twice. Adapter: {@link sesMailSender}. */
export type MailSender = {
  /**
   * Sends a mail.
   * @returns the provider's id of the message.
   * @throws MailRefused when the provider refuses the mail permanently; MailSenderUnavailable when the provider
   * certainly did not accept it now. After any other error the outcome is unknown.
   */
  send(mail: Mail): Promise<string>;
};

/**
 * Thrown when the provider refuses a mail permanently. `message` is the provider's reason, which may contain an
 * address.
 */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  /** The recipients that caused the refusal. The mail may be sent to the others. Empty: the mail is refused for all. */
  readonly recipients: readonly string[];
  /** The codes of the reply that the reason stands for (RFC 5321 §4.2, RFC 3463). */
  readonly code: '554 5.7.1' | '552 5.3.4';
  constructor(message: string, recipients: readonly string[] = [], code: MailRefused['code'] = '554 5.7.1') {
    super(message);
    this.recipients = recipients;
    this.code = code;
  }
}

/**
 * The reason why the provider did not accept a mail. `rate`: too many mails in this second. `closed`: the provider
 * currently accepts no mail, for example after the daily quota. `mail`: another reason, which may concern only this
 * mail.
 */
type UnavailableReason = 'rate' | 'closed' | 'mail';

/** Thrown when the provider certainly did not accept the mail, but may accept it later. */
export class MailSenderUnavailable extends Error {
  override readonly name = 'MailSenderUnavailable';
  readonly reason: UnavailableReason;
  constructor(message: string, reason: UnavailableReason, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Settings of a client without retries, because a repeated call could send the mail twice. Each call has a connection of
 * its own: SES may close an idle one in the moment in which it is used again, and then nobody knows whether it has the mail.
 */
export const singleAttempt = (requestTimeout = 20_000) => ({
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 2_000, requestTimeout, throwOnRequestTimeout: true, httpAgent: { keepAlive: false }, httpsAgent: { keepAlive: false } },
});

/** Milliseconds within which SES must accept a message of up to 40 MB. */
const sendTimeout = 60_000;

/** SES's errors for a message or sender that SES refuses permanently. */
const permanentErrors = new Set([
  'MessageRejected',
  'MailFromDomainNotVerifiedException',
  'BadRequestException',
  'AccountSuspendedException',
  'ValidationException',
  'InvalidParameterValue',
]);

/** The HTTP status for a body that is too large. */
const tooLarge = 413;

/** SES's words for a message that is too large: its limit and the size, in octets. */
const sizeRefusal = /Message length is more than (\d+) bytes long: '(\d+)'/;

/** The refusal of a message for its size. @param limit SES's limit, if SES names one. */
const refusalOfSize = (size: number | undefined, limit?: number): MailRefused => {
  const octets = (count: number): string => `${count.toLocaleString('en-US')} octets`;
  const words = [
    'the message is too large for Amazon SES',
    ...(size ? [`it has ${octets(size)}`] : []),
    ...(limit ? [`SES takes ${octets(limit)} at most`] : []),
  ];
  return new MailRefused(words.join('; '), [], '552 5.3.4');
};

/** SES's errors for too many calls or recipients, and for an account that is paused. */
const throttlingErrors = new Set(['TooManyRequestsException', 'ThrottlingException', 'Throttling', 'LimitExceededException']);
const pausedErrors = new Set(['SendingPausedException']);

/** Node's error codes for a connection that could not be opened. */
const connectionFailed = /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\b/;

type Thrown = { readonly name?: string; readonly message?: string; readonly code?: string; readonly $metadata?: { readonly httpStatusCode?: number } };

/** What an error needs of the mail. */
type Refused = Pick<Mail, 'from' | 'recipients'> & Partial<Pick<Mail, 'message'>>;

/** The addresses that SES's MessageRejected reports as not verified, in lower case. */
const unverifiedAddresses = (message: string): readonly string[] => {
  const list = /identities failed the check in region [^:]{1,40}: (.*)$/is.exec(message)?.[1] ?? '';
  return list
    .split(',')
    .map((each) => (/<([^<>]*)>/.exec(each)?.[1] ?? each).trim().toLowerCase())
    .filter((each) => each.includes('@'));
};

/** The refusal, with the action to take. In the SES sandbox, each recipient must be verified. */
const refusalOf = (message: string, { from, recipients }: Refused): MailRefused => {
  const [, limit, size] = sizeRefusal.exec(message) ?? [];
  if (limit !== undefined) return refusalOfSize(Number(size), Number(limit));
  const unverified = unverifiedAddresses(message);
  if (unverified.length === 0) return new MailRefused(message);
  if (unverified.includes(from.toLowerCase())) {
    return new MailRefused('the sender is not verified in Amazon SES: ask your administrator to verify its domain');
  }
  const failed = recipients.filter((recipient) => unverified.includes(recipient.toLowerCase()));
  const words = 'the SES sandbox of this account sends to verified addresses only: ask your administrator to request production access';
  return new MailRefused(words, failed);
};

const unavailableReason = (name: string, message: string): UnavailableReason => {
  if (throttlingErrors.has(name)) return /daily|quota/i.test(message) ? 'closed' : 'rate';
  return pausedErrors.has(name) ? 'closed' : 'mail';
};

/**
 * Maps an SDK error to its meaning for the mail: the mail was refused permanently, was certainly not accepted, or its
 * outcome is unknown.
 */
export const toSendError = (thrown: unknown, mail: Refused = { from: '', recipients: [] }): unknown => {
  const { name = '', message = '', code = '', $metadata }: Thrown = Object(thrown);
  const status = $metadata?.httpStatusCode ?? 0;
  if (permanentErrors.has(name)) return refusalOf(message, mail);
  if (status === tooLarge) return refusalOfSize(mail.message?.length);
  if (connectionFailed.test(`${code} ${message}`)) return new MailSenderUnavailable(name || code, 'closed', { cause: thrown });
  const isRefused = status >= 400 && status < 500;
  return isRefused ? new MailSenderUnavailable(name || code, unavailableReason(name, message), { cause: thrown }) : thrown;
};

const tagsOf = ({ submission_id, part, message_class, identity_id }: Mail) =>
  Object.entries({
    [messageTags.submissionId]: submission_id,
    [messageTags.part]: String(part),
    [messageTags.messageClass]: message_class,
    [messageTags.identityId]: identity_id,
  }).map(([Name, Value]) => ({ Name, Value }));

/**
 * {@link MailSender} in Amazon SES (API v2). Mail is sent with the deployment's configuration set, and with tags that
 * SES repeats in its events.
 */
export const sesMailSender = (configurationSet: string, client = namingErrors(new SESv2Client(singleAttempt(sendTimeout)))): MailSender => ({
  async send(mail) {
    try {
      const { MessageId: id } = await client.send(
        new SendEmailCommand({
          FromEmailAddress: mail.from,
          Destination: { ToAddresses: [...mail.recipients] },
          Content: { Raw: { Data: mail.message } },
          ConfigurationSetName: configurationSet,
          EmailTags: tagsOf(mail),
        }),
      );
      if (!id) throw new Error('SES returned no message id');
      return id;
    } catch (error) {
      throw toSendError(error, mail);
    }
  },
});
