import { listUnparsedMessages } from '../../../core/mail/delivery/unparsed-messages.ts';
import { emailIdOf, messageKey } from '../../../core/mail/email/blob-id.ts';
import { readEmailContents } from '../../../core/mail/email/email-content.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import { slowParser, slowText } from '../../support/slow-parser.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

describe('a message on which the parser would work for ever', () => {
  slowParser();
  const mail = deliverDeploymentPerTest();

  const raw = (subject: string, name = 'plan.pdf') =>
    Buffer.from(
      [
        'From: Ann <ann@example.net>',
        'To: alice@example.test',
        `Subject: ${subject}`,
        'Message-ID: <m1@example.net>',
        'Date: Thu, 24 Dec 2026 12:00:00 +0000',
        'MIME-Version: 1.0',
        `Content-Type: application/pdf; name="${name}"`,
        '',
        'Hello',
        '',
      ].join('\r\n'),
    );
  const record = async (id: string) => {
    const emailId = emailIdOf(messageKey('acc_alice', id));
    return (await readEmailContents(mail.mailTable, 'acc_alice', [emailId])).get(emailId)!;
  };
  const deliver = async (messages: Readonly<Record<string, Buffer>>, recipients = ['alice@example.test']) =>
    mail.deliverAtOnce(await Promise.all(Object.entries(messages).map(([id, message]) => mail.arrive(id, message, recipients, { sender: 'ann@example.net' }))));

  // @pitfall attack slow-parser
  test('is delivered with the fields that could be read, as a whole to download, and so are the others of its batch', async () => {
    const slow = raw(`A ${slowText} one`);
    expect(await deliver({ before: raw('Before'), slow, after: raw('After') })).toEqual([]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(3);
    expect(await record('after')).toMatchObject({ subject: 'After', bodyStructure: { type: 'application/pdf', name: 'plan.pdf' } });
    const { subject, ...rest } = await record('slow');
    expect(subject).toBeUndefined();
    expect(rest).toMatchObject({
      from: [{ name: 'Ann', email: 'ann@example.net' }],
      messageId: ['m1@example.net'],
      sentAt: '2026-12-24T12:00:00Z',
      hasAttachment: true,
      bodyStructure: { type: 'application/octet-stream', name: 'message.eml', range: { start: 0, end: slow.length } },
    });
    expect((await mail.objects.get(objectKeys.message('acc_alice', messageKey('acc_alice', 'slow'))))?.bytes).toEqual(slow);
  });

  test('keeps its subject when the fault is in a part', async () => {
    await deliver({ part: raw('Plans', `${slowText}.pdf`) });
    expect(await record('part')).toMatchObject({ subject: 'Plans', bodyStructure: { name: 'message.eml' } });
  });

  test('is named for the watch, and logged without its content', async () => {
    await deliver({ slow: raw(`A ${slowText} one`), other: raw('Other') });
    const { blobId } = await record('slow');
    expect(await listUnparsedMessages(mail.mailTable, systemClock)).toEqual([`acc_alice/${blobId}`]);
    expect(mail.log.records.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'a message could not be parsed', details: { account_id: 'acc_alice', blob_id: blobId, error_name: 'TimeLimitExceeded' } },
    ]);
    expect(JSON.stringify(mail.log.records)).not.toContain(slowText);
  });

  test('is not bounced to a recipient without an account, and is delivered to the others', async () => {
    expect(await deliver({ slow: raw(`A ${slowText} one`) }, ['alice@example.test', 'nobody@example.test'])).toEqual([]);
    expect(await mail.emails('acc_alice', 'inbox')).toHaveLength(1);
    expect(mail.bounces.sent).toEqual([]);
  });
});
