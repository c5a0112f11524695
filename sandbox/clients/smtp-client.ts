import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { encodeWords } from 'nodemailer/lib/mime-funcs';

export type Envelope = { readonly from: string; readonly to: readonly string[] };
export type Delivery = {
  readonly accepted: readonly string[];
  readonly rejected: readonly { readonly recipient: string; readonly response: string }[];
  /** The server's last response, such as `250 …`. */
  readonly response: string;
};

const addressOf = (recipient: string | { readonly address: string }): string => (typeof recipient === 'string' ? recipient : recipient.address);
type Refusal = Error & { recipient?: string; response?: string; rejectedErrors?: Refusal[] };

const refusals = (errors: readonly Refusal[] = []): Delivery['rejected'] =>
  errors.map((error) => ({ recipient: error.recipient ?? '', response: error.response ?? error.message }));

/** Milliseconds after which a silent server counts as failed. It runs on this machine, which may be busy. */
const patience = 60_000;

/**
 * Sends a raw message by SMTP without TLS, to a server on this machine. Does not throw when all recipients are refused.
 */
export const sendRaw = async (server: { host: string; port: number }, envelope: Envelope, raw: Buffer): Promise<Delivery> => {
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: false,
    ignoreTLS: true,
    connectionTimeout: patience,
    greetingTimeout: patience,
  });
  try {
    const sent = await transport.sendMail({ envelope: { from: envelope.from, to: [...envelope.to] }, raw });
    return { accepted: sent.accepted.map(addressOf), rejected: refusals(sent.rejectedErrors), response: sent.response };
  } catch (error) {
    const { rejectedErrors: refused, response = '' }: Partial<Refusal> = error instanceof Error ? error : {};
    if (!refused) throw error;
    return { accepted: [], rejected: refusals(refused), response };
  } finally {
    transport.close();
  }
};

/** Builds a raw message with one text part. */
export const plainMessage = async (message: { from: string; to: readonly string[]; subject: string; text: string }): Promise<Buffer> => {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const sent = await transport.sendMail({ ...message, to: [...message.to] });
  if (!Buffer.isBuffer(sent.message)) throw new Error('the message was not built');
  return sent.message;
};

/** Replaces the subject of a raw message; octets outside the header are unchanged. */
export const withSubject = (raw: Buffer, subject: string): Buffer => {
  const end = raw.indexOf('\r\n\r\n') === -1 ? raw.indexOf('\n\n') : raw.indexOf('\r\n\r\n');
  const head = raw.subarray(0, end === -1 ? raw.length : end).toString('latin1');
  const newline = head.includes('\r\n') ? '\r\n' : '\n';
  const others = head.split(/\r?\n(?![ \t])/).filter((field) => !/^subject:/i.test(field));
  const fields = [`Subject: ${encodeWords(subject, 'Q', 52)}`, ...others].join(newline);
  return Buffer.concat([Buffer.from(fields, 'latin1'), raw.subarray(end === -1 ? raw.length : end)]);
};

/**
 * Calls {@link sendRaw} repeatedly while the server refuses a recipient, for at most `timeout` milliseconds: SES
 * accepts mail for a new address some seconds after the address was created.
 */
export const sendRawWhenAccepted = async (server: { host: string; port: number }, envelope: Envelope, raw: Buffer, timeout: number): Promise<Delivery> => {
  const until = Date.now() + timeout;
  let delivery = await sendRaw(server, envelope, raw);
  while (delivery.rejected.length > 0 && Date.now() < until) {
    await delay(200);
    const to = delivery.rejected.map(({ recipient }) => recipient);
    const next = await sendRaw(server, { ...envelope, to }, raw);
    delivery = { ...next, accepted: [...delivery.accepted, ...next.accepted] };
  }
  return delivery;
};
