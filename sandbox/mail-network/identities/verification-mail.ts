import { splitMessage, joinMessage, field } from '../message/header-block.ts';
import type { Identity } from './email-identities.ts';
import type { Inbound } from '../inbound/inbound-mail.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { composed, messageIdDomain, outboundId } from '../sending/outgoing-message.ts';
import { confirmationUrl } from '../outbox/outbox-server.ts';

const sender = 'no-reply-aws@amazon.com';

const bodyFor = (address: string, region: string, link: string): string => `Dear Amazon Web Services Customer,

We have received a request to authorize this email address for use with Amazon SES in region ${region}.
If you requested this verification, please go to the following URL to confirm that you are authorized to use this email address:

${link}

Your request will not be processed unless you confirm the address using this URL. This link expires 24 hours after your original verification request.
If you did NOT request to verify ${address}, do not click on the link.
`;

/** Asks the owner of an address whether it is theirs: in their inbox when we receive for it, else in the outbox. */
export const sendVerificationMail = async (
  { inbound, outbox, region, outboxPort }: { inbound: Inbound; outbox: Outbox; region: string; outboxPort: number },
  { name, linkToken }: Identity,
): Promise<void> => {
  const [now, subject] = [new Date(), `Amazon Web Services - Email Address Verification Request in region ${region}`];
  const id = outboundId(region, now);
  const { fields, body } = splitMessage(await composed({
    from: `Amazon Web Services <${sender}>`, to: [name], cc: [], replyTo: [], subject, headers: [], attachments: [],
    text: bodyFor(name, region, confirmationUrl(outboxPort, linkToken ?? '')),
  }));
  const ours = field('Message-ID', `<${id}@${messageIdDomain(region)}>`);
  const message = joinMessage({ fields: [...fields.filter((each) => each.name !== ours.name), ours], body });
  const envelope = { from: `${id}@amazonses.com`, recipients: [name], helo: 'a8-60.smtp-out.amazonses.com', remoteAddress: '127.0.0.1' };
  if (await inbound.accepts(name)) await inbound.receive(envelope, message);
  else await outbox.add({ id, at: now.toISOString(), from: sender, recipients: [name], subject }, message);
};
