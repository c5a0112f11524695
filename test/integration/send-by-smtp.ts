import { randomUUID } from 'node:crypto';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { sendRaw, sendRawWhenAccepted } from '../../sandbox/smtp-client.ts';
import { deployed } from './deployment.ts';

/** A subject that no other message has. */
export const uniqueSubject = (text: string): string => `${text} ${randomUUID().slice(0, 8)}`;

/** Composes a message as a mail program does. @returns its octets. */
export const composeMessage = async (message: SendMailOptions): Promise<Buffer> => {
  const { message: raw } = await createTransport({ streamTransport: true, buffer: true, newline: 'windows' }).sendMail(message);
  return raw as Buffer;
};

const from = 'carol@elsewhere.test';

/** Sends a message once. @returns the recipients that the server refused. */
export const recipientsRefusedBySmtp = async (to: readonly string[], message: SendMailOptions): Promise<string[]> => {
  const { rejected } = await sendRaw(deployed.smtp!, { from, to }, await composeMessage({ from, to: [...to], ...message }));
  return rejected.map(({ recipient }) => recipient);
};

/** Milliseconds in which SES learns of a new address. */
const acceptTimeout = 20_000;

/** Sends a message by SMTP from another domain. The server must accept every recipient, also one that was just created. */
export const sendBySmtp = async (to: readonly string[], message: SendMailOptions): Promise<void> => {
  const { rejected } = await sendRawWhenAccepted(
    deployed.smtp!, { from, to }, await composeMessage({ from, to: [...to], ...message }), acceptTimeout,
  );
  expect(rejected).toEqual([]);
};
