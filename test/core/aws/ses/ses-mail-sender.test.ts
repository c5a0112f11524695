import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SESClient } from '@aws-sdk/client-ses';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { sesBounceSender } from '../../../../core/aws/ses/ses-bounce-sender.ts';
import { sesMailSender, singleAttempt } from '../../../../core/aws/ses/ses-mail-sender.ts';
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
