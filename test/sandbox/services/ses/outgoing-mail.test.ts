import { AdminCreateUserCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import {
  CreateEmailIdentityCommand,
  GetAccountCommand,
  PutAccountDetailsCommand,
  PutAccountSendingAttributesCommand,
  PutAccountSuppressionAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  PutSuppressedDestinationCommand,
  SendEmailCommand,
  type SendEmailCommandInput,
} from '@aws-sdk/client-sesv2';
import PostalMime from 'postal-mime';
import { eventually, ref } from '../../../support/test-emulator.ts';
import { startNetwork, type Json, type Network } from './test-mail-network.ts';

let network: Network;
beforeAll(async () => {
  network = await startNetwork();
  await network.verify('example.test');
});
afterAll(() => network.end());

const eicar = [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!', 'H+H*'].join('$');

const simple = { Simple: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'How are you?' } } } };

const send = async (to: string | string[], input: Partial<SendEmailCommandInput> = {}): Promise<string> => {
  const { MessageId } = await network.sesv2.send(
    new SendEmailCommand({
      FromEmailAddress: 'Alice <alice@example.test>',
      Destination: { ToAddresses: [to].flat() },
      ConfigurationSetName: 'outgoing',
      Content: simple,
      ...input,
    }),
  );
  return MessageId!;
};

const raw = (lines: readonly string[]) => ({
  Content: { Raw: { Data: Buffer.from(lines.join('\r\n')) } },
  Destination: undefined,
  FromEmailAddress: undefined,
});

const inOutbox = (id: string): Promise<Json> =>
  eventually(async () => {
    const message = await network.outbox(`/messages/${id}.json`);
    return message.id === id && message;
  });

const kinds = (events: readonly Json[]) => events.map(({ eventType }) => eventType);

describe('mail to other domains', () => {
  test('is added to the outbox, with Send and Delivery events', async () => {
    const id = await send(['Bob <bob@elsewhere.test>', 'carol@other.test'], { EmailTags: [{ Name: 'submission', Value: 's1' }] });
    expect(id).toMatch(/^0100[0-9a-f]{12}-[0-9a-f-]{36}-000000$/);
    expect(await inOutbox(id)).toMatchObject({
      from: 'Alice <alice@example.test>',
      recipients: ['bob@elsewhere.test', 'carol@other.test'],
      subject: 'Hello',
      text: 'How are you?\n',
      to: ['Bob <bob@elsewhere.test>', 'carol@other.test'],
      configurationSet: 'outgoing',
    });
    const events = await network.events(id, 2);
    expect(kinds(events)).toEqual(['Send', 'Delivery']);
    expect(events[0].send).toEqual({});
    expect(events[1].delivery).toMatchObject({ recipients: ['bob@elsewhere.test', 'carol@other.test'], processingTimeMillis: expect.any(Number) });
    for (const { mail } of events) {
      expect(mail).toMatchObject({
        messageId: id,
        source: 'Alice <alice@example.test>',
        sourceArn: 'arn:aws:ses:us-east-1:000000000000:identity/example.test',
        sendingAccountId: '000000000000',
        destination: ['bob@elsewhere.test', 'carol@other.test'],
        headersTruncated: false,
        commonHeaders: { from: ['Alice <alice@example.test>'], subject: 'Hello', messageId: id },
        tags: { 'ses:configuration-set': ['outgoing'], 'ses:from-domain': ['example.test'], submission: ['s1'] },
      });
    }
  });

  test('has no events without a configuration set', async () => {
    const silent = await send('bob@elsewhere.test', { ConfigurationSetName: undefined });
    await inOutbox(silent);
    await network.events(await send('bob@elsewhere.test'), 2);
    expect(await network.events(silent, 0)).toEqual([]);
  });

  test('is sent with SES’s Message-ID and Date, without Bcc and X-SES fields', async () => {
    const id = await send(
      [],
      raw([
        'From: Alice <alice@example.test>',
        'To: bob@elsewhere.test',
        'Bcc: secret@elsewhere.test',
        'Message-ID: <mine@example.test>',
        'Date: Mon, 1 Jan 2001 00:00:00 +0000',
        'X-SES-CONFIGURATION-SET: outgoing',
        'X-SES-MESSAGE-TAGS: a=1, b=2',
        'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
        '',
        'Body',
        '',
      ]),
    );
    const { subject, recipients } = await inOutbox(id);
    expect([subject, recipients]).toEqual(['Grüße', ['bob@elsewhere.test', 'secret@elsewhere.test']]);
    const sent = await (await fetch(`http://127.0.0.1:${network.ports.outbox}/messages/${id}.eml`)).text();
    expect(sent).toContain(`Message-ID: <${id}@email.amazonses.com>\r\n`);
    expect(sent).not.toMatch(/mine@example\.test|Bcc|secret|X-SES-(?:CONF|MESS)|2001/);
    expect(sent).toMatch(/\r\n\r\nBody\r\n$/);
    const [{ mail }] = await network.events(id, 2);
    expect(mail.tags).toMatchObject({ a: ['1'], b: ['2'] });
    expect(mail.headers).toContainEqual({ name: 'Message-ID', value: '<mine@example.test>' });
  });

  test('can be built by SES, with HTML, copies, headers and attachments', async () => {
    const id = await send('bob@elsewhere.test', {
      Destination: { ToAddresses: ['bob@elsewhere.test'], CcAddresses: ['carol@elsewhere.test'], BccAddresses: ['dave@elsewhere.test'] },
      ReplyToAddresses: ['desk@example.test'],
      Content: {
        Simple: {
          ...simple.Simple,
          Body: { Text: { Data: 'Text' }, Html: { Data: '<p>HTML</p>' } },
          Headers: [{ Name: 'X-Campaign', Value: 'autumn' }],
          Attachments: [{ FileName: 'a.txt', RawContent: Buffer.from('attached') }],
        },
      },
    });
    const message = await inOutbox(id);
    expect(message).toMatchObject({
      recipients: ['bob@elsewhere.test', 'carol@elsewhere.test', 'dave@elsewhere.test'],
      cc: ['carol@elsewhere.test'],
      replyTo: ['desk@example.test'],
      html: '<p>HTML</p>\n',
      attachments: [{ name: 'a.txt', size: 8 }],
    });
    expect(message.headers).toContainEqual({ name: 'X-Campaign', value: 'autumn' });
  });
});

describe('mail to a verified domain', () => {
  test('is received, and its copies for other domains are added to the outbox', async () => {
    const id = await send(['bob@example.test', 'carol@elsewhere.test']);
    const [{ mail, receipt }] = await network.notifications(1);
    expect(receipt.recipients).toEqual(['bob@example.test']);
    expect(mail).toMatchObject({ source: `${id}@amazonses.com`, commonHeaders: { messageId: `<${id}@email.amazonses.com>`, subject: 'Hello' } });
    expect(await PostalMime.parse(await network.stored(receipt.action.objectKey))).toMatchObject({ text: 'How are you?\n' });
    expect((await inOutbox(id)).recipients).toEqual(['carol@elsewhere.test']);
    const events = await network.events(id, 3);
    expect(kinds(events)).toEqual(['Send', 'Delivery', 'Delivery']);
    expect(events.slice(1).flatMap(({ delivery }) => delivery.recipients)).toEqual(['carol@elsewhere.test', 'bob@example.test']);
  });

  test('has the custom MAIL FROM domain once that is verified', async () => {
    await network.sesv2.send(new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity: 'example.test', MailFromDomain: 'bounces.example.test' }));
    await network.records('example.test', [
      ['bounces.example.test', 'MX', '10 feedback-smtp.us-east-1.amazonses.com'],
      ['bounces.example.test', 'TXT', '"v=spf1 include:amazonses.com -all"'],
    ]);
    const id = await send('bob@example.test', { ConfigurationSetName: undefined });
    const [{ mail }] = await network.notifications(1);
    expect(mail.source).toBe(`${id}@bounces.example.test`);
  });
});

describe('the mailbox simulator', () => {
  const scenario = async (to: string, wanted: number): Promise<Json[]> => {
    const id = await send(to);
    const events = await network.events(id, wanted);
    expect(events[0].eventType).toBe('Send');
    return events.slice(1);
  };

  test('delivers to success', async () => {
    expect(await scenario('success@simulator.amazonses.com', 2)).toMatchObject([
      { eventType: 'Delivery', delivery: { recipients: ['success@simulator.amazonses.com'] } },
    ]);
  });

  test('bounces permanently, with any label', async () => {
    expect(await scenario('bounce+7@simulator.amazonses.com', 2)).toMatchObject([
      {
        eventType: 'Bounce',
        bounce: {
          bounceType: 'Permanent',
          bounceSubType: 'General',
          feedbackId: expect.any(String),
          timestamp: expect.any(String),
          reportingMTA: expect.stringContaining('dns; '),
          bouncedRecipients: [
            { emailAddress: 'bounce+7@simulator.amazonses.com', action: 'failed', status: '5.1.1', diagnosticCode: expect.stringContaining('550 5.1.1') },
          ],
        },
      },
    ]);
  });

  test('delivers, then complains', async () => {
    expect(await scenario('complaint@simulator.amazonses.com', 3)).toMatchObject([
      { eventType: 'Delivery' },
      {
        eventType: 'Complaint',
        complaint: { complaintFeedbackType: 'abuse', complaintSubType: null, complainedRecipients: [{ emailAddress: 'complaint@simulator.amazonses.com' }] },
      },
    ]);
  });

  test('sends an out-of-office bounce', async () => {
    expect(await scenario('ooto@simulator.amazonses.com', 3)).toMatchObject([
      { eventType: 'Delivery' },
      { eventType: 'Bounce', bounce: { bounceType: 'Transient', bounceSubType: 'General' } },
    ]);
  });

  test('has a suppressed address', async () => {
    expect(await scenario('suppressionlist@simulator.amazonses.com', 2)).toMatchObject([
      { eventType: 'Bounce', bounce: { bounceType: 'Permanent', bounceSubType: 'Suppressed' } },
    ]);
  });
});

describe('a recipient on the suppression list', () => {
  const put = (EmailAddress: string, Reason: 'BOUNCE' | 'COMPLAINT') => network.sesv2.send(new PutSuppressedDestinationCommand({ EmailAddress, Reason }));

  test('gets no mail, and the event has the reason', async () => {
    await put('gone@elsewhere.test', 'BOUNCE');
    await put('angry@elsewhere.test', 'COMPLAINT');
    const id = await send(['Gone@elsewhere.test', 'angry@elsewhere.test', 'bob@elsewhere.test']);
    expect((await inOutbox(id)).recipients).toEqual(['bob@elsewhere.test']);
    const events = await network.events(id, 4);
    expect(kinds(events)).toEqual(['Send', 'Bounce', 'Complaint', 'Delivery']);
    expect(events[1].bounce).toMatchObject({
      bounceType: 'Permanent',
      bounceSubType: 'OnAccountSuppressionList',
      bouncedRecipients: [{ emailAddress: 'Gone@elsewhere.test' }],
    });
    expect(events[2].complaint).toMatchObject({
      complaintSubType: 'OnAccountSuppressionList',
      complainedRecipients: [{ emailAddress: 'angry@elsewhere.test' }],
    });
  });

  test('gets mail when the account does not suppress for that reason', async () => {
    await network.sesv2.send(new PutAccountSuppressionAttributesCommand({ SuppressedReasons: ['COMPLAINT'] }));
    const id = await send('gone@elsewhere.test');
    expect((await inOutbox(id)).recipients).toEqual(['gone@elsewhere.test']);
    expect(kinds(await network.events(id, 2))).toEqual(['Send', 'Delivery']);
  });
});

describe('SES refuses', () => {
  test.each([
    ['a sender that is not verified', 'MessageRejected', { FromEmailAddress: 'mallory@elsewhere.test' }],
    ['no sender at all', 'BadRequestException', { FromEmailAddress: undefined }],
    ['more than 50 recipients', 'BadRequestException', { Destination: { ToAddresses: Array.from({ length: 51 }, (_, index) => `p${index}@elsewhere.test`) } }],
    ['no recipient', 'BadRequestException', { Destination: { ToAddresses: [] } }],
    ['an address that is none', 'BadRequestException', { Destination: { ToAddresses: ['bob@'] } }],
    ['an address beyond ASCII', 'BadRequestException', { Destination: { ToAddresses: ['zoë@elsewhere.test'] } }],
    ['a configuration set that is none', 'NotFoundException', { ConfigurationSetName: 'none' }],
    ['a template', 'BadRequestException', { Content: { Template: { TemplateName: 'welcome' } } }],
  ])('%s', async (_, name, input: Partial<SendEmailCommandInput>) => {
    const before = await network.outbox('/messages.json');
    await expect(send('bob@elsewhere.test', input)).rejects.toMatchObject({ name });
    expect(await network.outbox('/messages.json')).toEqual(before);
  });

  test('unverified senders, with the identity in the message', async () => {
    await expect(send('bob@elsewhere.test', { FromEmailAddress: 'M <mallory@elsewhere.test>' })).rejects.toThrow(
      'Email address is not verified. The following identities failed the check in region US-EAST-1: mallory@elsewhere.test',
    );
  });

  test('a message with a virus, after accepting it', async () => {
    const id = await send('bob@elsewhere.test', { Content: { Simple: { ...simple.Simple, Body: { Text: { Data: eicar } } } } });
    const events = await network.events(id, 2);
    expect(events).toMatchObject([{ eventType: 'Send' }, { eventType: 'Reject', reject: { reason: 'Bad content' }, mail: { messageId: id } }]);
    expect(await network.outbox(`/messages/${id}.json`)).toEqual({ message: 'No such message' });
  });

  test('mail to unverified addresses and more than 200 messages a day without production access', async () => {
    const account = (ProductionAccessEnabled: boolean) =>
      network.sesv2.send(new PutAccountDetailsCommand({ MailType: 'TRANSACTIONAL', WebsiteURL: 'https://example.test', ProductionAccessEnabled }));
    await account(false);
    await expect(send(['bob@elsewhere.test', 'bob@example.test'])).rejects.toMatchObject({
      name: 'MessageRejected',
      message: expect.stringMatching(/: bob@elsewhere\.test$/),
    });
    await send('success@simulator.amazonses.com');
    const fifty = Array.from({ length: 50 }, (_, index) => `success+${index}@simulator.amazonses.com`);
    await expect(
      (async () => {
        for (let batch = 0; batch < 4; batch += 1) await send(fifty, { ConfigurationSetName: undefined });
      })(),
    ).rejects.toMatchObject({ name: 'TooManyRequestsException' });
    await account(true);
    await eventually(async () => (await network.sesv2.send(new GetAccountCommand())).ProductionAccessEnabled);
  });

  test('all mail while sending is disabled', async () => {
    const sending = (SendingEnabled: boolean) => network.sesv2.send(new PutAccountSendingAttributesCommand({ SendingEnabled }));
    await sending(false);
    await expect(send('bob@elsewhere.test')).rejects.toMatchObject({ name: 'SendingPausedException' });
    await sending(true);
  });
});

describe('a sender identity', () => {
  test('may be a subdomain of a verified domain, unless it is an identity itself', async () => {
    const from = { FromEmailAddress: 'a@news.example.test', ConfigurationSetName: undefined };
    await inOutbox(await send('bob@elsewhere.test', from));
    await network.sesv2.send(new CreateEmailIdentityCommand({ EmailIdentity: 'news.example.test' }));
    await expect(send('bob@elsewhere.test', from)).rejects.toMatchObject({ name: 'MessageRejected' });
  });
});

describe('mail that AWS sends', () => {
  test('is relayed to the outbox or to a verified domain', async () => {
    await network.smtp(
      { from: 'no-reply@verificationemail.test', to: ['new@elsewhere.test', 'bob@example.test'], subject: 'Your temporary password', text: 'Secret' },
      network.ports.relay,
    );
    const [{ receipt }] = await network.notifications(1);
    expect(receipt.recipients).toEqual(['bob@example.test']);
    const {
      messages: [newest],
    } = await network.outbox('/messages.json');
    expect(newest).toMatchObject({ from: 'no-reply@verificationemail.test', recipients: ['new@elsewhere.test'], subject: 'Your temporary password' });
  });

  test('includes Cognito’s invitations, the first and the next with a new password, which the emulator sends to the relay', async () => {
    const { Pool } = await network.fixture.deploy({
      Resources: { Pool: { Type: 'AWS::Cognito::UserPool', Properties: { UsernameAttributes: ['email'], AutoVerifiedAttributes: ['email'] } } },
      Outputs: { Pool: { Value: ref('Pool') } },
    });
    const cognito = new CognitoIdentityProviderClient(network.fixture.clientConfig);
    await cognito.send(
      new AdminCreateUserCommand({
        UserPoolId: Pool,
        Username: 'invited@elsewhere.test',
        UserAttributes: [{ Name: 'email', Value: 'invited@elsewhere.test' }],
        DesiredDeliveryMediums: ['EMAIL'],
        TemporaryPassword: 'Start-1234',
      }),
    );
    const invitations = async (): Promise<Json[]> =>
      (await network.outbox('/messages.json')).messages.filter(({ recipients }: Json) => recipients[0] === 'invited@elsewhere.test');
    const textOf = async ({ id }: Json): Promise<string> => (await network.outbox(`/messages/${id}.json`)).text;
    const first = await eventually(async () => (await invitations())[0]);
    expect(await textOf(first)).toContain('Start-1234');

    await cognito.send(
      new AdminCreateUserCommand({ UserPoolId: Pool, Username: 'invited@elsewhere.test', MessageAction: 'RESEND', DesiredDeliveryMediums: ['EMAIL'] }),
    );
    cognito.destroy();
    const again = await eventually(async () => (await invitations()).find(({ id }) => id !== first.id));
    expect(await textOf(again)).not.toContain('Start-1234');
  });
});
