import type { Identity } from '../identities/email-identities.ts';
import { splitMessage, joinMessage, field } from '../message/header-block.ts';
import { composeMessage, messageIdDomain, outboundMessageId } from '../message/outgoing-message.ts';
import { confirmationUrl } from '../outbox/outbox-server.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { InboundMail } from './inbound-mail.ts';

const senderAddress = 'no-reply-aws@amazon.com';

const bodyFor = (address: string, region: string, link: string): string => `Dear Amazon Web Services Customer,

We have received a request to authorize this email address for use with Amazon SES in region ${region}.
If you requested this verification, please go to the following URL to confirm that you are authorized to use this email address:

${link}

Your request will not be processed unless you confirm the address using this URL. This link expires 24 hours after your original verification request.
If you did NOT request to verify ${address}, do not click on the link.
`;

/**
 * Sends the verification mail for an address: received like other mail when its domain is verified here, else added to
 * the outbox.
 */
export const sendVerificationMail = async (
  { inbound, outbox, region, outboxPort }: { inbound: InboundMail; outbox: Outbox; region: string; outboxPort: number },
  { name, linkToken }: Identity,
): Promise<void> => {
  const [now, subject] = [new Date(), `Amazon Web Services - Email Address Verification Request in region ${region}`];
  const id = outboundMessageId(region, now);
  const { fields, body } = splitMessage(
    await composeMessage({
      from: `Amazon Web Services <${senderAddress}>`,
      to: [name],
      cc: [],
      replyTo: [],
      subject,
      headers: [],
      attachments: [],
      text: bodyFor(name, region, confirmationUrl(outboxPort, linkToken ?? '')),
    }),
  );
  const messageIdField = field('Message-ID', `<${id}@${messageIdDomain(region)}>`);
  const message = joinMessage({ fields: [...fields.filter((each) => each.name !== messageIdField.name), messageIdField], body });
  const envelope = { from: `${id}@amazonses.com`, recipients: [name], helo: 'a8-60.smtp-out.amazonses.com', remoteAddress: '127.0.0.1' };
  if (await inbound.accepts(name)) await inbound.receive(envelope, message);
  else await outbox.add({ id, at: now.toISOString(), from: senderAddress, recipients: [name], subject }, message);
};
