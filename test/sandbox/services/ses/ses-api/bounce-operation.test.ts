import { DescribeActiveReceiptRuleSetCommand, SendBounceCommand, SESClient } from '@aws-sdk/client-ses';
import { CreateEmailIdentityCommand, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { receiptRule, startNetwork, type Network } from '../test-mail-network.ts';

let network: Network;
let ses: SESClient;
beforeAll(async () => {
  network = await startNetwork({ Everyone: receiptRule({ Name: 'everyone', Recipients: ['example.test', 'alice@listed.test'] }) });
  await network.verify('example.test');
  await network.verify('listed.test');
  ses = new SESClient({ ...network.fixture.clientConfig, endpoint: `http://127.0.0.1:${network.ports.sesApi}`, maxAttempts: 1 });
});
afterAll(async () => {
  ses.destroy();
  await network.end();
});

/** Makes the network receive a message. @returns SES's id of the message. */
const receive = async (from: string): Promise<string> => {
  await network.smtp({
    from: 'sender@elsewhere.test',
    to: 'nobody@example.test',
    subject: 'Hi',
    text: 'Hello',
    envelope: { from, to: ['nobody@example.test'] },
  });
  const [{ mail }] = await network.notifications(1);
  return mail.messageId;
};

const bounce = (OriginalMessageId: string, BounceSender = 'mailer-daemon@example.test') =>
  ses.send(
    new SendBounceCommand({
      OriginalMessageId,
      BounceSender,
      Explanation: 'No such <address> & no other.',
      BouncedRecipientInfoList: [{ Recipient: 'nobody@example.test', BounceType: 'DoesNotExist' }],
    }),
  );

const aSecond = () =>
  new Promise((resolve) => {
    setTimeout(resolve, 1000);
  });

test('SendBounce sends a delivery status notification to the envelope sender', async () => {
  const { MessageId } = await bounce(await receive('bounces@elsewhere.test'));
  const message = await network.outbox(`/messages/${MessageId}.json`);
  expect(message).toMatchObject({ from: 'mailer-daemon@example.test', recipients: ['bounces@elsewhere.test'] });
  expect(message.text).toContain('No such <address> & no other.');
  const raw = await fetch(`http://127.0.0.1:${network.ports.outbox}/messages/${MessageId}.eml`);
  const text = await raw.text();
  expect(text).toMatch(/^Content-Type: multipart\/report; report-type=delivery-status;/m);
  expect(text).toMatch(/^Final-Recipient: rfc822; nobody@example\.test\r\nAction: failed\r\nStatus: 5\.1\.1\r$/m);
  expect(text).toMatch(/^Subject: Hi\r$/m);
});

test('SendBounce to a verified domain is received with the null sender', async () => {
  await aSecond();
  await bounce(await receive('alice@example.test'));
  const [{ mail }] = await network.notifications(1);
  expect(mail).toMatchObject({ source: '', destination: ['alice@example.test'] });
});

test('SendBounce is throttled to one a second', async () => {
  const id = await receive('bounces@elsewhere.test');
  await aSecond();
  await bounce(id);
  await expect(bounce(id)).rejects.toMatchObject({ name: 'Throttling' });
});

describe('SendBounce is refused with MessageRejected', () => {
  test('for a message that SES did not receive', async () => {
    await expect(bounce('unknown')).rejects.toMatchObject({ name: 'MessageRejected' });
  });

  test('for a message with the null sender', async () => {
    await expect(bounce(await receive(''))).rejects.toMatchObject({ name: 'MessageRejected' });
  });

  test('from an address of a domain that is not verified', async () => {
    await network.sesv2.send(new CreateEmailIdentityCommand({ EmailIdentity: 'pending.test' }));
    const id = await receive('bounces@elsewhere.test');
    await expect(bounce(id, 'mailer-daemon@pending.test')).rejects.toMatchObject({ name: 'MessageRejected' });
  });
});

test('SendBounce without recipients is InvalidParameterValue', async () => {
  const nobody = new SendBounceCommand({ OriginalMessageId: 'x', BounceSender: 'a@example.test', BouncedRecipientInfoList: [] });
  await expect(ses.send(nobody)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
});

test('mail sent to an address that a domain of the receipt rules refuses bounces with 5.1.1', async () => {
  const { MessageId } = await network.sesv2.send(
    new SendEmailCommand({
      FromEmailAddress: 'alice@example.test',
      Destination: { ToAddresses: ['nobody@listed.test'] },
      ConfigurationSetName: 'outgoing',
      Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hello' } } } },
    }),
  );
  const [, { bounce: report }] = await network.events(MessageId!, 2);
  expect(report).toMatchObject({ bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: 'nobody@listed.test', status: '5.1.1' }] });
});

test('other calls of SES API v1 are answered by the emulator', async () => {
  const { Rules } = await ses.send(new DescribeActiveReceiptRuleSetCommand());
  expect(Rules).toMatchObject([{ Name: 'everyone' }]);
});
