import { SESClient } from '@aws-sdk/client-ses';
import { sesBounceSender, type Bounce } from '../../../../core/aws/ses/ses-bounce-sender.ts';
import { MailRefused, MailSenderUnavailable } from '../../../../core/aws/ses/ses-mail-sender.ts';
import { receiptRule, startNetwork, type Network } from '../../../sandbox/services/ses/test-mail-network.ts';
import { eventually, freePort } from '../../../support/test-emulator.ts';

let network: Network;
let client: SESClient;
beforeAll(async () => {
  network = await startNetwork({ Everyone: receiptRule({ Name: 'everyone' }) });
  await network.verify('example.test');
  client = new SESClient({ ...network.fixture.clientConfig, endpoint: `http://127.0.0.1:${network.ports.sesApi}`, maxAttempts: 1 });
});
afterAll(async () => {
  client.destroy();
  await network.end();
});

const bounceOf = (messageId: string, reason: Bounce['reason'] = 'unknown'): Bounce => ({
  messageId,
  from: 'mailer-daemon@example.test',
  recipients: ['nobody@example.test', 'noone@example.test'],
  reason,
});

test('a bounce over SES reaches the envelope sender once, and an immediate second one is MailSenderUnavailable', async () => {
  await network.smtp({ from: 'alice@elsewhere.test', to: ['nobody@example.test', 'noone@example.test'], subject: 'Hi', text: 'Hello' });
  const [{ mail }] = await network.notifications(1);
  await sesBounceSender(client).bounce(bounceOf(mail.messageId));
  await expect(sesBounceSender(client).bounce(bounceOf(mail.messageId))).rejects.toBeInstanceOf(MailSenderUnavailable);
  const { messages } = await network.outbox('/messages.json');
  expect(messages).toMatchObject([{ recipients: ['alice@elsewhere.test'] }]);
  const raw = await (await fetch(`http://127.0.0.1:${network.ports.outbox}/messages/${messages[0].id}.eml`)).text();
  expect(raw).toContain('Final-Recipient: rfc822; nobody@example.test\r\n');
  expect(raw).toContain('Final-Recipient: rfc822; noone@example.test\r\n');
});

test('a bounce of a full account names that reason', async () => {
  await network.smtp({ from: 'alice@elsewhere.test', to: ['nobody@example.test'], subject: 'Full', text: 'Hello' });
  const [{ mail }] = await network.notifications(1);
  const bounce = { ...bounceOf(mail.messageId, 'full'), recipients: ['nobody@example.test'] };
  // SES accepts one bounce a second.
  await eventually(() =>
    sesBounceSender(client)
      .bounce(bounce)
      .then(
        () => true,
        () => false,
      ),
  );
  const { messages } = await network.outbox('/messages.json');
  const raw = await (await fetch(`http://127.0.0.1:${network.ports.outbox}/messages/${messages[0].id}.eml`)).text();
  expect(raw).toContain('Status: 5.2.2\r\n');
});

test('a bounce of a message that SES does not know is MailRefused', async () => {
  await expect(sesBounceSender(client).bounce(bounceOf('unknown'))).rejects.toBeInstanceOf(MailRefused);
});

test('a bounce is MailSenderUnavailable when SES cannot be reached', async () => {
  const away = new SESClient({ ...network.fixture.clientConfig, endpoint: `http://127.0.0.1:${await freePort()}`, maxAttempts: 1 });
  await expect(sesBounceSender(away).bounce(bounceOf('any'))).rejects.toBeInstanceOf(MailSenderUnavailable);
});
