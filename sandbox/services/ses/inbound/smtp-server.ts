import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { messageOf } from '../../../../contract/values/thrown.ts';
import { listenError, type RunningServer } from '../../../process/loopback-server.ts';
import type { OnMailEvent } from '../mail-event.ts';
import type { Envelope } from '../message/received-mail.ts';
import type { InboundMail } from './inbound-mail.ts';

/** The largest message that SES receives, in octets (Service quotas: 40 MB after encoding). */
const maximumMessageOctets = 40 * 1024 * 1024;

/**
 * Maximum recipients of one message. A client sends to further recipients in another transaction (RFC 5321 §4.5.3.1.10,
 * which requires at least 100).
 */
const maximumRecipients = 100;

type Callback = (error?: Error | null, message?: string) => void;

const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });
const unknownRecipient = () => refusal(550, '5.1.1 Requested action not taken: mailbox unavailable');
const tooManyRecipients = () => refusal(452, '4.5.3 Too many recipients');
const tryLater = () => refusal(451, '4.3.0 Requested action aborted: local error in processing');

const envelopeOf = ({ envelope, hostNameAppearsAs, remoteAddress }: SMTPServerSession): Envelope => ({
  from: envelope.mailFrom ? envelope.mailFrom.address : '',
  recipients: [...new Set(envelope.rcptTo.map(({ address }) => address))],
  helo: hostNameAppearsAs || 'localhost',
  remoteAddress,
});

const contentOf = async (stream: SMTPServerDataStream): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) if (!stream.sizeExceeded) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Accepts or refuses recipients and receives messages. */
type SmtpHandler = Pick<InboundMail, 'accepts' | 'receive'> & { readonly onMail: OnMailEvent };

const onRecipient = async (handler: SmtpHandler, address: string, session: SMTPServerSession): Promise<void> => {
  const { from, recipients } = envelopeOf(session);
  if (recipients.length >= maximumRecipients) throw tooManyRecipients();
  const accepted = await handler.accepts(address).catch((error: Error) => {
    handler.onMail({ kind: 'failed', from, to: [address], reason: error.message });
    throw tryLater();
  });
  if (accepted) return;
  handler.onMail({ kind: 'refused', from, to: [address], reason: 'no verified domain with a matching receipt rule' });
  throw unknownRecipient();
};

const onMessage = async (handler: SmtpHandler, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
  const message = await contentOf(stream);
  const envelope = envelopeOf(session);
  if (stream.sizeExceeded) {
    handler.onMail({ kind: 'refused', from: envelope.from, to: envelope.recipients, reason: 'larger than 40 MB' });
    throw refusal(552, '5.3.4 Message size exceeds fixed limit');
  }
  try {
    return `OK ${await handler.receive(envelope, message)}`;
  } catch (error) {
    handler.onMail({ kind: 'failed', from: envelope.from, to: envelope.recipients, reason: messageOf(error) });
    throw tryLater();
  }
};

/** Passes a handler's result to smtp-server's callback, and keeps the handler in `pending` until then. */
const track = (pending: Set<Promise<void>>, work: Promise<string | void>, callback: Callback): void => {
  const finish = async (): Promise<void> => {
    let message: string | void;
    try {
      message = await work;
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    callback(null, message ?? undefined);
  };
  const finished = finish().finally(() => pending.delete(finished));
  pending.add(finished);
};

/**
 * Starts SES's inbound SMTP server on 127.0.0.1, without encryption and authentication. 250 after DATA means that the
 * message is stored and the notification is published. An error of the emulator is a 451, so the client tries again.
 * @throws SandboxError for a port that is taken.
 */
export const startSmtpServer = async (port: number, region: string, handler: SmtpHandler): Promise<RunningServer> => {
  const pending = new Set<Promise<void>>();
  const server = new SMTPServer({
    name: `inbound-smtp.${region}.amazonaws.com`,
    size: maximumMessageOctets,
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 200,
    onRcptTo: ({ address }, session, callback) => track(pending, onRecipient(handler, address, session), callback),
    onData: (stream, session, callback) => track(pending, onMessage(handler, stream, session), callback),
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(port, error)));
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    async stop() {
      await Promise.allSettled(pending);
      await new Promise<void>((resolve) => {
        server.close(resolve);
      });
    },
  };
};
