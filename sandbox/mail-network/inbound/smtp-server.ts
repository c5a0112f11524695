import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Inbound } from './inbound-mail.ts';
import { listeningError, type Listening } from '../../loopback-server.ts';
import type { Tell } from '../mail-event.ts';
import type { Envelope } from './received-mail.ts';

/** What SES takes in, header included, in octets (Service quotas: 40 MB after encoding). */
export const largestInbound = 40 * 1024 * 1024;

type Callback = (error?: Error | null, message?: string) => void;

const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });
const unknownRecipient = () => refusal(550, '5.1.1 Requested action not taken: mailbox unavailable');
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

/** What decides about mail; the relay of the emulator's own mail takes everything. */
export type Door = Inbound & { readonly tell: Tell };

const onRecipient = async (door: Door, address: string, session: SMTPServerSession): Promise<void> => {
  const { from } = envelopeOf(session);
  const accepted = await door.accepts(address).catch((error: Error) => {
    door.tell({ kind: 'failed', from, to: [address], reason: error.message });
    throw tryLater();
  });
  if (accepted) return;
  door.tell({ kind: 'refused', from, to: [address], reason: 'no verified domain with a receipt rule takes this address' });
  throw unknownRecipient();
};

const onMessage = async (door: Door, stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
  const message = await contentOf(stream);
  const envelope = envelopeOf(session);
  if (stream.sizeExceeded) {
    door.tell({ kind: 'refused', from: envelope.from, to: envelope.recipients, reason: 'larger than 40 MB' });
    throw refusal(552, '5.3.4 Message size exceeds fixed limit');
  }
  try {
    return `OK ${await door.receive(envelope, message)}`;
  } catch (error) {
    door.tell({ kind: 'failed', from: envelope.from, to: envelope.recipients, reason: (error as Error).message });
    throw tryLater();
  }
};

/** Runs a handler for smtp-server's callback and counts it as work in progress. */
const working = (underWay: Set<Promise<void>>, work: Promise<string | void>, callback: Callback): void => {
  const answer = async (): Promise<void> => {
    let message: string | void;
    try {
      message = await work;
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback(null, message ?? undefined);
  };
  const answered = answer().finally(() => underWay.delete(answered));
  underWay.add(answered);
};

/**
 * SES's inbound SMTP server on 127.0.0.1: no encryption, no authentication; 250 after DATA means that the message is stored and told of.
 * What the emulator can't do just now is 451: the client tries again. Throws SandboxError for a port that is taken.
 */
export const startSmtpDoor = async (port: number, region: string, door: Door): Promise<Listening> => {
  const underWay = new Set<Promise<void>>();
  const server = new SMTPServer({
    name: `inbound-smtp.${region}.amazonaws.com`,
    size: largestInbound,
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 200,
    onRcptTo: ({ address }, session, callback) => working(underWay, onRecipient(door, address, session), callback),
    onData: (stream, session, callback) => working(underWay, onMessage(door, stream, session), callback),
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', (error: NodeJS.ErrnoException) => reject(listeningError(port, error)));
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    async stop() {
      await Promise.allSettled(underWay);
      await new Promise<void>((resolve) => { server.close(resolve); });
    },
  };
};
