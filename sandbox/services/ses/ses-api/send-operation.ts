import { z } from 'zod';
import type { UndocumentedBehaviour } from '../../undocumented-behaviour.ts';
import type { Identities, Identity } from '../identities/email-identities.ts';
import { splitMessage, valuesOf } from '../message/header-block.ts';
import { bareAddresses, isAddress } from '../message/mail-addresses.ts';
import { messageAsSent, composeMessage, outboundMessageId } from '../message/outgoing-message.ts';
import { SesError, badRequest } from '../message/ses-error.ts';
import type { OutgoingMail } from '../outgoing-mail.ts';
import type { ConfigurationSets } from '../sending/configuration-sets.ts';
import type { Account } from '../sending/ses-account.ts';
import { parseBody, type SesRequest, type SesOperation } from './ses-operation.ts';

export type SendDependencies = {
  readonly identities: Identities;
  readonly account: Account;
  readonly configurationSets: ConfigurationSets;
  readonly outgoing: OutgoingMail;
  readonly region: string;
  readonly undocumented: Pick<UndocumentedBehaviour, 'message-size'>;
};

/** Maximum recipients of a message (Service quotas in Amazon SES). */
const mostRecipients = 50;

/**
 * Maximum octets of a message. SES takes 40 MB "after base64 encoding" (Service quotas in Amazon SES): of the
 * attachments, or, stricter, of the message in the request.
 */
const largestMessages = { lenient: 40 * 1024 * 1024, strict: 29_000_000 } as const;

const addresses = z.array(z.string()).default([]);
const text = z.object({ Data: z.string() });
const base64 = z.string().transform((encoded) => Buffer.from(encoded, 'base64'));

const attachment = z.object({
  RawContent: base64,
  FileName: z.string().min(1).max(255),
  ContentType: z.string().optional(),
  ContentDisposition: z.enum(['ATTACHMENT', 'INLINE']).default('ATTACHMENT'),
  ContentId: z.string().optional(),
});

const simpleContent = z.object({
  Subject: text,
  Body: z.object({ Text: text.optional(), Html: text.optional() }),
  Headers: z
    .array(z.object({ Name: z.string().min(1).max(126), Value: z.string().min(1).max(870) }))
    .max(15)
    .default([]),
  Attachments: z.array(attachment).default([]),
});

const sendBody = z.object({
  FromEmailAddress: z.string().optional(),
  Destination: z.object({ ToAddresses: addresses, CcAddresses: addresses, BccAddresses: addresses }).optional(),
  ReplyToAddresses: addresses,
  ConfigurationSetName: z.string().optional(),
  EmailTags: z.array(z.object({ Name: z.string().regex(/^[A-Za-z0-9_:.-]{1,256}$/), Value: z.string().max(256) })).default([]),
  Content: z.object({ Raw: z.object({ Data: base64 }).optional(), Simple: simpleContent.optional() }),
});

type SendBody = z.infer<typeof sendBody>;

const originalMessage = async ({ Content, FromEmailAddress, Destination, ReplyToAddresses }: SendBody): Promise<Buffer> => {
  if (Content.Raw) return Content.Raw.Data;
  const simple = Content.Simple;
  if (!simple) throw badRequest('Content must be Raw or Simple: templates are not supported.');
  if (!FromEmailAddress) throw badRequest('FromEmailAddress is required.');
  if (!simple.Body.Text && !simple.Body.Html) throw badRequest('Body must have Text or Html.');
  return composeMessage({
    from: FromEmailAddress,
    to: Destination?.ToAddresses ?? [],
    cc: Destination?.CcAddresses ?? [],
    replyTo: ReplyToAddresses,
    subject: simple.Subject.Data,
    text: simple.Body.Text?.Data,
    html: simple.Body.Html?.Data,
    headers: simple.Headers.map(({ Name, Value }) => ({ name: Name, value: Value })),
    attachments: simple.Attachments.map((each) => ({
      fileName: each.FileName,
      contentType: each.ContentType,
      content: each.RawContent,
      inline: each.ContentDisposition === 'INLINE',
      contentId: each.ContentId,
    })),
  });
};

/** The recipients of Destination, else those of the header (SendEmail: Destination), without duplicates. */
const recipientsOf = ({ Destination }: SendBody, original: Buffer): string[] => {
  const named = Destination ? [...Destination.ToAddresses, ...Destination.CcAddresses, ...Destination.BccAddresses] : [];
  const { fields } = splitMessage(original);
  const lists = named.length > 0 ? named : ['To', 'Cc', 'Bcc'].flatMap((name) => valuesOf(fields, name));
  const recipients = [...new Set(lists.flatMap(bareAddresses))];
  if (recipients.length === 0) throw badRequest('The message must have at least one recipient.');
  if (recipients.length > mostRecipients) throw badRequest(`Recipient count exceeds ${mostRecipients}.`);
  const wrong = recipients.find((address) => !isAddress(address));
  if (wrong !== undefined) throw badRequest(`Illegal address: <${wrong}>`);
  return recipients;
};

/** Message tags of the call and of the message's own X-SES-MESSAGE-TAGS field: `campaign=autumn, tier=gold`. */
const tagsOf = ({ EmailTags }: SendBody, original: Buffer): Record<string, string[]> => {
  const written = valuesOf(splitMessage(original).fields, 'X-SES-MESSAGE-TAGS')
    .flatMap((list) => list.split(','))
    .map((pair) => pair.trim().split('='));
  const pairs = [...written, ...EmailTags.map(({ Name, Value }) => [Name, Value])].filter(([name]) => name);
  return Object.fromEntries(pairs.map(([name, value]) => [name!, [value ?? '']]));
};

const unverifiedError = (failed: readonly string[], region: string): SesError =>
  new SesError(
    'MessageRejected',
    `Email address is not verified. The following identities failed the check in region ${region.toUpperCase()}: ${failed.join(', ')}`,
  );

const senderOf = async ({ identities, region }: SendDependencies, from: string): Promise<Identity> => {
  const identity = await identities.findSender(from);
  if (!identity) throw unverifiedError([from], region);
  return identity;
};

/** Checks recipients: in the SES sandbox, mail may be sent only to verified addresses and to the simulator. */
const assertReachable = async ({ identities, account, region }: SendDependencies, recipients: readonly string[]): Promise<void> => {
  if (account.state.productionAccess) return;
  const checked = await Promise.all(
    recipients.map(async (address) => (address.endsWith('@simulator.amazonses.com') || (await identities.findSender(address)) ? [] : [address])),
  );
  if (checked.flat().length > 0) throw unverifiedError(checked.flat(), region);
};

const configurationSetOf = async ({ configurationSets }: SendDependencies, body: SendBody, original: Buffer, identity: Identity) => {
  const name = body.ConfigurationSetName ?? valuesOf(splitMessage(original).fields, 'X-SES-CONFIGURATION-SET')[0] ?? identity.configurationSet;
  const set = name ? await configurationSets.get(name) : undefined;
  if (set && !set.sendingEnabled) {
    throw new SesError('SendingPausedException', `Email sending is disabled for configuration set <${set.name}>.`);
  }
  return set;
};

const countRecipients = async ({ account }: SendDependencies, recipients: readonly string[], now: Date): Promise<void> => {
  if (!account.state.sendingEnabled) throw new SesError('SendingPausedException', 'Email sending is disabled for this account.');
  if (account.sentLastDay(now) + recipients.length > account.quota().perDay) {
    throw new SesError('TooManyRequestsException', 'Daily message quota exceeded.');
  }
  await account.change((state) => {
    state.sent.push(...recipients.map(() => now.getTime()));
  });
};

const returnPathOf = async ({ identities, region }: SendDependencies, identity: Identity, messageId: string): Promise<string> => {
  const { mailFrom } = await identities.status(identity);
  const own = mailFrom === 'SUCCESS' ? identity.mailFromDomain : undefined;
  return `${messageId}@${own ?? (region === 'us-east-1' ? 'amazonses.com' : `${region}.amazonses.com`)}`;
};

const send = async (dependencies: SendDependencies, request: SesRequest) => {
  const body = parseBody(sendBody, request);
  const original = await originalMessage(body);
  const largestMessage = largestMessages[dependencies.undocumented['message-size']];
  if (original.length > largestMessage) throw badRequest(`Message length is more than ${largestMessage} bytes long: '${original.length}'.`);
  const from = body.FromEmailAddress ?? valuesOf(splitMessage(original).fields, 'From')[0];
  const fromAddress = bareAddresses(from ?? '')[0];
  if (!from || !fromAddress) throw badRequest("Missing required header 'From'.");
  const recipients = recipientsOf(body, original);
  const identity = await senderOf(dependencies, fromAddress);
  await assertReachable(dependencies, recipients);
  const configurationSet = await configurationSetOf(dependencies, body, original, identity);
  const sentAt = new Date();
  await countRecipients(dependencies, recipients, sentAt);

  const { region } = dependencies;
  const messageId = outboundMessageId(region, sentAt);
  const message = messageAsSent(original, { messageId, sentAt, region });
  const returnPath = await returnPathOf(dependencies, identity, messageId);
  dependencies.outgoing.send({
    messageId,
    sentAt,
    region,
    from,
    fromAddress,
    returnPath,
    recipients,
    original,
    message,
    configurationSet,
    identity: identity.name,
    tags: tagsOf(body, original),
  });
  return { MessageId: messageId };
};

/** SendEmail. */
export const sendOperations = (dependencies: SendDependencies): SesOperation[] => [
  { method: 'POST', path: '/outbound-emails', run: (request) => send(dependencies, request) },
];
