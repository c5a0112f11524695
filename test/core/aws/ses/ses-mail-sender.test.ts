import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SESClient } from '@aws-sdk/client-ses';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { sesBounceSender } from '../../../../core/aws/ses/ses-bounce-sender.ts';
import { MailRefused, MailSenderUnavailable, sesMailSender, singleAttempt, toSendError } from '../../../../core/aws/ses/ses-mail-sender.ts';
import { sesSystemMail } from '../../../../core/aws/ses/ses-system-mail.ts';

const xml = '<SendBounceResponse><SendBounceResult><MessageId>id</MessageId></SendBounceResult></SendBounceResponse>';
const addresses = { from: 'alice@example.test', to: 'bob@elsewhere.test' };

describe('a call of SES, which is made once', () => {
  let server: Server;
  beforeAll(async () => {
    // SES closes an idle connection in the moment in which it is used again.
    const used = new WeakSet<Socket>();
    server = createServer((request, response) => {
      if (used.has(request.socket)) return void request.socket.destroy();
      used.add(request.socket);
      request.resume().on('end', () => response.end(request.url === '/' ? xml : '{"MessageId":"id"}'));
      return undefined;
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const settings = () => ({
    ...singleAttempt(),
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });

  test.each<[string, () => () => Promise<unknown>]>([
    [
      'of a message',
      () => {
        const sender = sesMailSender('Sending', new SESv2Client(settings()));
        return () =>
          sender.send({
            submission_id: 'S',
            part: 0,
            identity_id: 'I',
            message_class: 'TRANSACTIONAL',
            from: addresses.from,
            recipients: [addresses.to],
            message: Buffer.from('Subject: Hello\r\n\r\n'),
          });
      },
    ],
    [
      'of a bounce',
      () => {
        const sender = sesBounceSender(new SESClient(settings()));
        return () => sender.bounce({ messageId: 'M', from: addresses.from, recipients: [addresses.to], reason: 'unknown' });
      },
    ],
    [
      'of a mail of the deployment',
      () => {
        const sender = sesSystemMail(new SESv2Client(settings()));
        return () => sender.send({ ...addresses, replyTo: undefined, subject: 'Hello', text: 'Hello', html: 'Hello' });
      },
    ],
  ])('%s reuses no connection, which SES may be closing', async (_, sender) => {
    const send = sender();
    await send();
    await expect(send()).resolves.not.toThrow();
  });
});

const mail = { from: 'alice@example.test', recipients: ['ann@elsewhere.test', 'Bob@elsewhere.test'] };
const errorOf = (name: string, message = '', httpStatusCode = 400) =>
  toSendError(Object.assign(new Error(message), { name, $metadata: { httpStatusCode } }), mail);
const unverified = (addresses: string) =>
  errorOf('MessageRejected', `Email address is not verified. The following identities failed the check in region US-EAST-1: ${addresses}`);

describe('an error of SES', () => {
  test.each([
    ['TooManyRequestsException', 'Maximum sending rate exceeded.', 'rate'],
    ['TooManyRequestsException', 'Daily message quota exceeded.', 'closed'],
    ['SendingPausedException', 'Email sending is disabled.', 'closed'],
    ['NotFoundException', 'Configuration set <X> does not exist.', 'mail'],
  ])('%s, %s, means that the mail was not accepted: %s', (name, message, reason) => {
    expect(errorOf(name, message)).toMatchObject({ name: MailSenderUnavailable.name, reason });
  });

  test('about recipients in its sandbox names them and the remedy', () => {
    const error = unverified('bob@elsewhere.test') as MailRefused;
    expect([error.recipients, error.message]).toEqual([['Bob@elsewhere.test'], expect.stringContaining('ask your administrator')]);
  });

  test('about the sender refuses the mail for all recipients', () => {
    const error = unverified('Alice <alice@example.test>, bob@elsewhere.test') as MailRefused;
    expect([error.recipients, error.message]).toEqual([[], expect.stringContaining('the sender is not verified')]);
  });

  test.each([
    [
      'BadRequestException',
      "Message length is more than 29000000 bytes long: '30000123'.",
      400,
      'it has 30,000,123 octets; SES takes 29,000,000 octets at most',
    ],
    ['RequestEntityTooLarge', '', 413, 'the message is too large for Amazon SES; it has 4 octets'],
  ])('%s about the size refuses the mail as 552 5.3.4, with the sizes', (name, message, status, words) => {
    const error = toSendError(Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } }), { ...mail, message: Buffer.from('mail') });
    expect(error).toMatchObject({ name: MailRefused.name, code: '552 5.3.4', message: expect.stringContaining(words) as string });
  });

  test('with the status 413 refuses the mail; with the status 500 the outcome is unknown', () => {
    expect(errorOf('RequestEntityTooLarge', '', 413)).toBeInstanceOf(MailRefused);
    const unknown = errorOf('InternalFailure', '', 500);
    expect(unknown).not.toBeInstanceOf(MailRefused);
    expect(unknown).not.toBeInstanceOf(MailSenderUnavailable);
  });
});
