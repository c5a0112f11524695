import type { RunningServer } from '../../../process/loopback-server.ts';
import type { OnMailEvent } from '../mail-event.ts';
import { splitMessage, valuesOf } from '../message/header-block.ts';
import { bareAddresses, readableText } from '../message/mail-addresses.ts';
import { outboundMessageId } from '../message/outgoing-message.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { InboundMail } from './inbound-mail.ts';
import { startSmtpServer } from './smtp-server.ts';

/**
 * Starts an SMTP server for mail that AWS sends, such as Cognito's invitations. The emulator sends this mail to the
 * server that `SMTP_HOST` names. Mail to verified domains is received like other incoming mail; mail to other domains
 * goes to the outbox.
 */
export const startMailRelay = (
  port: number,
  region: string,
  { inbound, outbox, onMail }: { inbound: InboundMail; outbox: Outbox; onMail: OnMailEvent },
): Promise<RunningServer> =>
  startSmtpServer(port, region, {
    onMail,
    accepts: async () => true,
    async receive(envelope, message) {
      const now = new Date();
      const id = outboundMessageId(region, now);
      const { fields } = splitMessage(message);
      const subject = readableText(fields, 'Subject') ?? '';
      const from = bareAddresses(valuesOf(fields, 'From')[0] ?? '')[0] ?? envelope.from;
      onMail({ kind: 'sent', from, to: envelope.recipients, messageId: id, subject });
      const [own, external]: [string[], string[]] = [[], []];
      for (const recipient of envelope.recipients) ((await inbound.accepts(recipient)) ? own : external).push(recipient);
      if (external.length > 0) await outbox.add({ id, at: now.toISOString(), from, recipients: external, subject }, message);
      if (own.length > 0) await inbound.receive({ ...envelope, recipients: own }, message);
      return id;
    },
  });
