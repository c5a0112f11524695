import { bareAddresses, readableText } from '../message/mail-addresses.ts';
import { splitMessage, valuesOf } from '../message/header-block.ts';
import type { Inbound } from './inbound-mail.ts';
import type { Listening } from '../../loopback-server.ts';
import type { Tell } from '../mail-event.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { outboundId } from '../sending/outgoing-message.ts';
import { startSmtpDoor } from './smtp-server.ts';

/**
 * An SMTP server that sends what it is given: for mail that AWS sends by itself, such as Cognito's invitations, which the emulator hands over
 * when `SMTP_HOST` names this port. Our own domains get it in their inboxes, others in the outbox.
 */
export const startRelay = (port: number, region: string, { inbound, outbox, tell }: { inbound: Inbound; outbox: Outbox; tell: Tell }): Promise<Listening> =>
  startSmtpDoor(port, region, {
    tell,
    accepts: async () => true,
    async receive(envelope, message) {
      const now = new Date();
      const id = outboundId(region, now);
      const { fields } = splitMessage(message);
      const subject = readableText(fields, 'Subject') ?? '';
      const from = bareAddresses(valuesOf(fields, 'From')[0] ?? '')[0] ?? envelope.from;
      tell({ kind: 'sent', from, to: envelope.recipients, messageId: id, subject });
      const [ours, outside]: [string[], string[]] = [[], []];
      for (const recipient of envelope.recipients) (await inbound.accepts(recipient) ? ours : outside).push(recipient);
      if (outside.length > 0) await outbox.add({ id, at: now.toISOString(), from, recipients: outside, subject }, message);
      if (ours.length > 0) await inbound.receive({ ...envelope, recipients: ours }, message);
      return id;
    },
  });
