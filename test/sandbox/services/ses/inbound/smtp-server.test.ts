import { connect } from 'node:net';
import { DeleteBucketCommand, DeleteObjectsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { DescribeActiveReceiptRuleSetCommand, SESClient, SetActiveReceiptRuleSetCommand } from '@aws-sdk/client-ses';
import { CreateEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import PostalMime from 'postal-mime';
import { receiptRule, startNetwork, type Network } from '../test-mail-network.ts';

const gtube = ['XJS*C4JDBQADN1.NSBN3*2IDNEN', 'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL', 'C.34X'].join('*');
const eicar = [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!', 'H+H*'].join('$');

const message = { from: 'sender@elsewhere.test', to: 'alice@example.test', subject: 'Hi', text: 'Hello' };

let network: Network;
beforeAll(async () => {
  network = await startNetwork({
    Everyone: receiptRule({ Name: 'everyone', Recipients: ['example.test', 'late.test'] }),
    Unscanned: receiptRule({ Name: 'unscanned', Recipients: ['unscanned.test'], ScanEnabled: false }),
  });
  await network.verify('example.test');
  await network.verify('unscanned.test');
  await network.verify('ruleless.test');
});
afterAll(() => network.end());

describe('a received message', () => {
  test('for several recipients is stored and notified once, with all of them', async () => {
    const sent = await network.smtp({
      ...message,
      to: 'Alice <alice@example.test>',
      cc: 'bob@example.test',
      bcc: 'carol@example.test',
      subject: 'Grüße',
      text: 'Schön',
      attachments: [{ filename: 'a.txt', content: 'attached' }],
    });
    const [notification, ...more] = await network.notifications(1);
    expect(more).toEqual([]);
    const recipients = ['alice@example.test', 'bob@example.test', 'carol@example.test'];
    const key = `inbound/${notification.mail.messageId}`;
    expect(notification).toMatchObject({
      notificationType: 'Received',
      mail: {
        source: 'sender@elsewhere.test',
        messageId: expect.stringMatching(/^[0-9a-v]{40}$/),
        destination: recipients,
        headersTruncated: false,
        commonHeaders: {
          returnPath: 'sender@elsewhere.test',
          from: ['sender@elsewhere.test'],
          to: ['Alice <alice@example.test>'],
          cc: ['bob@example.test'],
          messageId: sent.messageId,
          subject: 'Grüße',
        },
      },
      receipt: {
        recipients,
        ...Object.fromEntries(['spam', 'virus', 'spf', 'dkim', 'dmarc'].map((check) => [`${check}Verdict`, { status: 'PASS' }])),
        processingTimeMillis: expect.any(Number),
        action: { type: 'S3', topicArn: network.outputs.Inbound, bucketName: network.outputs.Bucket, objectKeyPrefix: 'inbound/', objectKey: key },
      },
    });
    expect(sent.response).toBe(`250 OK ${notification.mail.messageId}`);
    expect(notification.mail.headers[0]).toEqual({ name: 'Return-Path', value: '<sender@elsewhere.test>' });

    const stored = await PostalMime.parse(await network.stored(key));
    expect(stored.subject).toBe('Grüße');
    expect(stored.text).toBe('Schön\n');
    expect(stored.attachments[0]!.filename).toBe('a.txt');
  });

  test('is stored unchanged, below the header fields that SES adds', async () => {
    const raw = 'From: sender@elsewhere.test\r\nSubject: a\r\n folded one\r\nX-Ödd: \xff\r\n\r\n.leading dot\r\nbare text';
    await network.smtp({ envelope: { from: 'bounce@elsewhere.test', to: ['alice@example.test'] }, raw: Buffer.from(raw, 'latin1') });
    const [{ mail }] = await network.notifications(1);
    const stored = (await network.stored(`inbound/${mail.messageId}`)).toString('latin1');
    expect(stored).toMatch(
      new RegExp(
        [
          '^Return-Path: <bounce@elsewhere\\.test>',
          'Received: from .* \\(.* \\[127\\.0\\.0\\.1\\]\\)',
          ` by inbound-smtp\\.us-east-1\\.amazonaws\\.com with SMTP id ${mail.messageId}`,
          ' for alice@example\\.test;',
          ' .* \\+0000 \\(UTC\\)',
          'X-SES-Spam-Verdict: PASS',
          'X-SES-Virus-Verdict: PASS',
          'Received-SPF: pass',
        ].join('\r\n'),
      ),
    );
    expect(stored.endsWith(`\r\n${raw}\r\n`)).toBe(true);
  });

  test('with an empty sender has an empty source', async () => {
    await network.smtp({ ...message, envelope: { from: '', to: ['alice@example.test'] } });
    const [{ mail }] = await network.notifications(1);
    expect(mail).toMatchObject({ source: '', destination: ['alice@example.test'] });
  });

  test('with the spam or virus test string has the verdict FAIL', async () => {
    await network.smtp({ ...message, text: gtube });
    await network.smtp({ ...message, attachments: [{ filename: 'eicar.com', content: Buffer.from(eicar) }] });
    const [spam, virus] = await network.notifications(2);
    expect([spam.receipt.spamVerdict.status, spam.receipt.virusVerdict.status]).toEqual(['FAIL', 'PASS']);
    expect([virus.receipt.spamVerdict.status, virus.receipt.virusVerdict.status]).toEqual(['PASS', 'FAIL']);
    expect((await network.stored(spam.receipt.action.objectKey)).toString()).toContain('X-SES-Spam-Verdict: FAIL');
  });

  test('has no content verdicts by a rule without scanning', async () => {
    await network.smtp({ ...message, to: 'alice@unscanned.test', text: gtube });
    const [{ receipt }] = await network.notifications(1);
    expect([receipt.spamVerdict.status, receipt.virusVerdict.status]).toEqual(['DISABLED', 'DISABLED']);
  });

  test('with a header of more than 10 KB has truncated headers in the notification', async () => {
    await network.smtp({ ...message, headers: { 'X-Long': 'x '.repeat(6000) } });
    const [{ mail }] = await network.notifications(1);
    expect(mail.headersTruncated).toBe(true);
    expect(JSON.stringify(mail.headers).length).toBeLessThan(12_000);
  });

  test('to 20,000 Cc addresses is accepted, and its notification leaves them out', async () => {
    const copies = Array.from({ length: 20_000 }, (_, index) => `person.${index}@elsewhere.test`).join(',\r\n ');
    const raw = `From: sender@elsewhere.test\r\nCc: ${copies}\r\nSubject: all\r\n\r\nHello`;
    await network.smtp({ envelope: { from: 'sender@elsewhere.test', to: ['alice@example.test'] }, raw });
    const [notification] = await network.notifications(1);
    expect(notification.mail).toMatchObject({ headersTruncated: true, commonHeaders: { from: ['sender@elsewhere.test'] } });
    expect(JSON.stringify(notification).length).toBeLessThan(30_000);
    expect((await network.stored(notification.receipt.action.objectKey)).toString()).toContain('person.19999@elsewhere.test');
  });

  test('is accepted for the first 100 recipients, and the others get 452', async () => {
    const to = Array.from({ length: 103 }, (_, index) => `person.${index}@example.test`);
    const { rejectedErrors } = await network.smtp({ envelope: { from: 'sender@elsewhere.test', to }, raw: 'Subject: all\r\n\r\nHello' });
    expect(rejectedErrors).toHaveLength(3);
    expect(rejectedErrors![0]).toMatchObject({ responseCode: 452 });
    const [{ receipt }] = await network.notifications(1);
    expect(receipt.recipients).toHaveLength(100);
  });
});

describe('a message whose From is of another domain than its envelope', () => {
  const forged = { ...message, from: 'Ann <ann@forged.test>', envelope: { from: 'a@elsewhere.test', to: ['alice@example.test'] } };
  const receive = async () => {
    await network.smtp(forged);
    const [{ receipt }] = await network.notifications(1);
    return { receipt, stored: (await network.stored(receipt.action.objectKey)).toString() };
  };

  test('has the DMARC verdict GRAY while the domain of From has no policy', async () => {
    const { receipt, stored } = await receive();
    expect(receipt).toMatchObject({ spfVerdict: { status: 'PASS' }, dmarcVerdict: { status: 'GRAY' } });
    expect(receipt).not.toHaveProperty('dmarcPolicy');
    expect(stored).toMatch(
      /^Authentication-Results: amazonses\.com;\r\n spf=pass .*\r\n dkim=pass header\.i=@elsewhere\.test;\r\n dmarc=none header\.from=forged\.test;\r\nX-SES-RECEIPT: /m,
    );
  });

  test('fails DMARC with the policy of the domain of From', async () => {
    await network.records('forged.test', [['_dmarc.forged.test', 'TXT', '"v=DMARC1; p=quarantine; rua=mailto:a@forged.test"']]);
    const { receipt, stored } = await receive();
    expect(receipt).toMatchObject({ dmarcVerdict: { status: 'FAIL' }, dmarcPolicy: 'quarantine' });
    expect(stored).toContain('\r\n dmarc=fail (p=quarantine) header.from=forged.test;');
  });
});

describe('a recipient is refused with 550 5.1.1', () => {
  const refusal = { responseCode: 550, response: expect.stringContaining('5.1.1 Requested action not taken: mailbox unavailable') };

  test.each([
    ['of a domain that is not registered', 'alice@unknown.test'],
    ['of a verified domain without a rule', 'alice@ruleless.test'],
    ['of a subdomain of the rule’s domain', 'alice@sub.example.test'],
  ])('%s', async (_, to) => {
    await expect(network.smtp({ ...message, to })).rejects.toMatchObject(refusal);
  });

  test('while the domain is not verified', async () => {
    await network.sesv2.send(new CreateEmailIdentityCommand({ EmailIdentity: 'late.test' }));
    await expect(network.smtp({ ...message, to: 'alice@late.test' })).rejects.toMatchObject(refusal);
  });

  test('but the other recipients of the message are accepted', async () => {
    const sent = await network.smtp({ ...message, to: ['alice@example.test', 'alice@unknown.test'] });
    expect(sent.rejected).toEqual(['alice@unknown.test']);
    const [{ receipt }] = await network.notifications(1);
    expect(receipt.recipients).toEqual(['alice@example.test']);
    expect(network.told).toContainEqual(expect.objectContaining({ kind: 'refused', to: ['alice@unknown.test'] }));
  });

  test('when no rule set is active', async () => {
    const ses = new SESClient(network.fixture.clientConfig);
    await ses.send(new SetActiveReceiptRuleSetCommand({}));
    await expect(network.smtp(message)).rejects.toMatchObject(refusal);
    await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: network.outputs.RuleSet }));
    expect((await ses.send(new DescribeActiveReceiptRuleSetCommand())).Rules).toHaveLength(2);
    ses.destroy();
  });
});

describe('the SMTP server', () => {
  /** Sends these lines one after the other. @returns the server's responses. */
  const talk = (lines: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const [socket, waiting] = [connect(network.ports.smtp, '127.0.0.1'), [...lines]];
      let heard = '';
      socket.on('data', (data) => {
        heard += data.toString();
        if (/^\d{3} .*\r\n$/m.test(data.toString())) socket.write(`${waiting.shift() ?? 'QUIT'}\r\n`);
      });
      socket.on('close', () => resolve(heard));
      socket.on('error', reject);
    });

  test('offers no authentication and no encryption, and announces its maximum size', async () => {
    const heard = await talk(['EHLO client.test']);
    expect(heard).toMatch(/^220 inbound-smtp\.us-east-1\.amazonaws\.com ESMTP/);
    expect(heard).toContain('SIZE 41943040');
    expect(heard).not.toMatch(/AUTH|STARTTLS|SMTPUTF8/);
  });

  test('refuses more than 40 MB with 552, announced or not', async () => {
    expect(await talk(['EHLO client.test', 'MAIL FROM:<a@b.test> SIZE=41943041'])).toContain('\r\n552 ');
    const raw = Buffer.concat([Buffer.from('Subject: big\r\n\r\n'), Buffer.alloc(41 * 1024 * 1024, 'x'.repeat(70).concat('\r\n'))]);
    await expect(network.smtp({ envelope: { from: 'a@b.test', to: ['alice@example.test'], size: 1 }, raw })).rejects.toMatchObject({ responseCode: 552 });
  });
});

describe('when storing or publishing fails', () => {
  test('the client gets 451 after DATA', async () => {
    const { Contents } = await network.s3.send(new ListObjectsV2Command({ Bucket: network.outputs.Bucket }));
    await network.s3.send(new DeleteObjectsCommand({ Bucket: network.outputs.Bucket, Delete: { Objects: Contents!.map(({ Key }) => ({ Key })) } }));
    await network.s3.send(new DeleteBucketCommand({ Bucket: network.outputs.Bucket }));
    await expect(network.smtp(message)).rejects.toMatchObject({ responseCode: 451 });
    expect(network.told.at(-1)).toMatchObject({ kind: 'failed', to: ['alice@example.test'], reason: expect.stringContaining('bucket') });
  });

  test('the client gets 451 at RCPT when the emulator does not answer', async () => {
    await network.fixture.emulator.stop();
    await expect(network.smtp(message)).rejects.toMatchObject({ responseCode: 451 });
  });
});
