import type { Alias } from '../../../contract/admin/aliases.ts';
import { newAddressWrite, newAliasWrites } from '../../../core/directory/aliases/aliases.ts';
import { authorPartition, receivedMessageOf } from '../../../core/mail/delivery/received-message.ts';
import type { Write } from '../../../core/storage/table.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

const now = new Date('2026-12-24T12:00:00.000Z');
const clock = () => now;

const alias = (email: string, more: Partial<Alias> = {}): Alias => ({
  alias_id: `alias_${email.split('@')[0]!}`,
  account_id: 'acc_alice',
  email,
  domain_id: 'dom_1',
  is_primary: false,
  is_active: true,
  is_visible: true,
  can_send_from: true,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
  ...more,
});

const raw = (to: string, more = '') => `From: Ann <ann@example.net>\r\nTo: ${to}\r\nSubject: Offer\r\nMessage-ID: <m1@example.net>\r\n${more}\r\nHello\r\n`;

describe('mail for an alias with a bcc', () => {
  const mail = deliverDeploymentPerTest();
  beforeEach(async () => {
    await mail.directoryTable.write([{ put: { pk: 'domain', sk: 'dom_1', id: 'dom_1', domain: 'example.test', send_enabled: true, state: 'ready' } }]);
  });

  const addAlias = (email: string, more: Partial<Alias>) =>
    mail.directoryTable.write([newAddressWrite(alias(email, more)), ...newAliasWrites(alias(email, more))] as Write[]);
  let arrived = 0;
  const arrive = (to: string, { more = '', id = `ses-${++arrived}`, verdicts = {} } = {}) =>
    mail.arrive(id, raw(to, more), [to], { sender: 'ann@example.net', timestamp: now.toISOString(), verdicts });
  const deliver = (bodies: readonly string[], more = {}) => mail.deliverAtOnce(bodies, { clock, ...more });
  const inboxes = async () => [(await mail.emails('acc_alice', 'inbox')).length, (await mail.emails('acc_bob', 'inbox')).length];
  const sent = () => mail.sent();

  test('is delivered to the account of the bcc too, and to no other', async () => {
    await addAlias('sales@example.test', { bcc: 'Bob@example.test' });
    await deliver([await arrive('sales+spring@example.test'), await arrive('alice@example.test')]);
    expect(await inboxes()).toEqual([2, 1]);
    expect(await sent()).toEqual([]);
  });

  test('is delivered once to an account that is recipient and bcc', async () => {
    await addAlias('sales@example.test', { bcc: 'alice@example.test' });
    await deliver([await arrive('sales@example.test')]);
    expect(await inboxes()).toEqual([1, 0]);
  });

  test('is delivered once to each account when aliases name each other', async () => {
    await addAlias('sales@example.test', { bcc: 'info@example.test' });
    await addAlias('info@example.test', { bcc: 'sales@example.test', account_id: 'acc_bob' });
    await deliver([await arrive('sales@example.test')]);
    expect(await inboxes()).toEqual([1, 1]);
    await deliver([await arrive('info@example.test')]);
    expect(await inboxes()).toEqual([2, 2]);
  });

  test('is delivered and not bounced when the account of the bcc does not exist', async () => {
    await addAlias('info@example.test', { bcc: 'ghost@example.test' });
    expect(await deliver([await arrive('info@example.test')])).toEqual([]);
    expect(await inboxes()).toEqual([1, 0]);
    expect(mail.queue.messages).toEqual([]);
    expect(mail.objects.keys().filter((key) => key.startsWith('inbound/'))).toEqual([]);
  });

  describe('whose account of the bcc is full', () => {
    let time: number;
    /** Delivers waiting messages, for this many hours. */
    const waitFor = async (hours: number) => {
      for (const end = time + hours * 3_600_000; mail.queue.messages.length > 0 && time < end;) {
        const { message, delaySeconds } = mail.queue.messages.shift()!;
        time += delaySeconds * 1000;
        expect(await deliver([JSON.stringify(message)], { clock: () => new Date(time) })).toEqual([]);
      }
    };
    beforeEach(async () => {
      time = now.getTime();
      await mail.mailStore.setQuota('acc_bob', { octets: 10 });
      await addAlias('sales@example.test', { bcc: 'bob@example.test' });
      expect(await deliver([await arrive('sales@example.test')])).toEqual([]);
      expect(await inboxes()).toEqual([1, 0]);
    });

    test('waits with its copy until the account has room', async () => {
      await waitFor(30);
      await mail.mailStore.setQuota('acc_bob', { octets: null });
      await waitFor(24);
      expect([await inboxes(), mail.queue.messages, mail.bounces.sent]).toEqual([[1, 1], [], []]);
      expect(mail.objects.keys().filter((key) => key.startsWith('inbound/'))).toEqual([]);
    });

    test('drops its copy after 14 days, with a log line and without a bounce', async () => {
      await waitFor(24 * 20);
      expect([await inboxes(), mail.queue.messages, mail.bounces.sent]).toEqual([[1, 0], [], []]);
      expect(mail.log.records.at(-1)).toMatchObject({ message: 'undeliverable: not bounced', details: { recipients: 1, reason: 'account full' } });
      expect(mail.objects.keys().filter((key) => key.startsWith('messages/acc_bob'))).toEqual([]);
    });
  });

  test('causes no vacation response of the account of the bcc', async () => {
    await addAlias('sales@example.test', { bcc: 'bob@example.test' });
    await addAlias('bob2@example.test', { account_id: 'acc_bob', is_primary: true });
    await mail.mailStore.commit((await mail.mailStore.open('acc_bob'))!, () => ({
      records: {
        VacationResponse: {
          put: [{ id: 'singleton', isEnabled: true, fromDate: null, toDate: null, subject: null, textBody: 'Away', htmlBody: null } as { id: string }],
        },
      },
    }));
    await deliver([await arrive('sales@example.test')]);
    expect(await sent()).toEqual([]);
  });

  test('is sent to a bcc outside in 7bit when it came in 8bit', async () => {
    await addAlias('sales@example.test', { bcc: 'archive@outside.test' });
    await deliver([await arrive('sales@example.test', { more: 'Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße' })]);
    const [copy] = await sent();
    expect(copy!.raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    expect(copy!.raw).toContain('Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=message.eml\r\n');
    expect(copy!.raw).toMatch(/Content-Transfer-Encoding: base64\r\n\r\nR3LDvMOfZQ/);
  });

  test('is sent to a bcc outside as an attachment, unchanged, from the alias', async () => {
    await addAlias('sales@example.test', { bcc: 'archive@outside.test', name: 'Sales' });
    await deliver([await arrive('sales@example.test')]);
    const [copy, ...others] = await sent();
    expect(others).toEqual([]);
    expect(copy!.to).toEqual(['archive@outside.test']);
    expect(copy!.submission).toMatchObject({ account_id: 'acc_alice', mail_from: 'sales@example.test', identity_id: 'alias_sales' });
    expect(copy!.raw).toMatch(/^From: Sales <sales@example\.test>\r\nTo: archive@outside\.test\r\nSubject: Offer\r\n/);
    expect(copy!.raw).toContain('Auto-Submitted: auto-generated\r\nX-Loop: sales@example.test\r\n');
    expect(copy!.raw).toContain(raw('sales@example.test'));
    expect(await inboxes()).toEqual([1, 0]);
  });

  test('is sent once when the queue delivers the message again', async () => {
    await addAlias('sales@example.test', { bcc: 'archive@outside.test' });
    const body = await arrive('sales@example.test');
    const kept = { objects: { ...mail.objects, remove: async () => {} } };
    await deliver([body, body], kept);
    await deliver([body], kept);
    await deliver([body]);
    expect(await sent()).toHaveLength(1);
    expect(await inboxes()).toEqual([1, 0]);
  });

  test.each<[string, Parameters<typeof arrive>[1]]>([['that is spam', { verdicts: { spamVerdict: 'FAIL' } }]])(
    'is not sent outside when it is a message %s',
    async (_, more) => {
      await addAlias('sales@example.test', { bcc: 'archive@outside.test' });
      expect(await deliver([await arrive('sales@example.test', more)])).toEqual([]);
      expect(await sent()).toEqual([]);
      expect(mail.log.records).toContainEqual(expect.objectContaining({ message: 'the copy for the bcc of an alias was not sent' }));
    },
  );

  const sentTo = async (address: string) => (await sent()).find(({ to }) => to.includes(address))?.raw ?? '';
  const headerOf = (copy: string): string => copy.split('\r\n\r\n')[0]!;
  /** The fields with marks in a copy. */
  const marksOf = (copy: string): string => [...headerOf(copy).matchAll(/^X-Postrider-Copy: .*\r\n(?:[ \t].*\r\n)*/gm)].map(([field]) => field).join('');

  test.each<[string, string]>([
    ['X-Loop fields with the alias', 'X-Loop: Sales@example.test\r\n'],
    ['ten X-Loop fields', Array.from({ length: 10 }, (_, index) => `X-Loop: a${index}@outside.test\r\n`).join('')],
    ['51 Received fields', 'Received: by mx.example.net\r\n'.repeat(51)],
    ['a forged mark', `X-Postrider-Copy: sales@example.test; t=${now.getTime() / 1000}; mac=${'0'.repeat(64)}\r\n`],
    ['eleven forged marks', `X-Postrider-Copy: a@example.test; t=${now.getTime() / 1000}; mac=${'f'.repeat(64)}\r\n`.repeat(11)],
    ['more header fields than are parsed', 'X-Field: x\r\n'.repeat(2100)],
    ['a header of more than 256 KB', `X-Field: ${'x'.repeat(300_000)}\r\n`],
    ['a broken mark', 'X-Postrider-Copy: sales@example.test\r\nX-Postrider-Copy: ; t=; mac=\r\n'],
  ])('is sent outside although its sender wrote %s', async (_what, more) => {
    await addAlias('sales@example.test', { bcc: 'archive@outside.test' });
    await deliver([await arrive('sales@example.test', { more })]);
    expect((await sent()).map(({ to }) => to)).toEqual([['archive@outside.test']]);
    expect(headerOf(await sentTo('archive@outside.test')).match(/^X-Postrider-Copy: sales@example\.test; /gm)).toHaveLength(1);
  });

  test('is not sent again when a copy returns to the alias within seven days, and the record says why', async () => {
    await addAlias('sales@example.test', { bcc: 'archive@outside.test' });
    await deliver([await arrive('sales@example.test')]);
    const marks = marksOf(await sentTo('archive@outside.test'));
    await deliver([await arrive('sales@example.test', { more: marks })], { clock: () => new Date(now.getTime() + 7 * 86_400_000 - 1000) });
    expect(await sent()).toHaveLength(1);
    const records = await mail.sendingTable.query({ pk: authorPartition('ann@example.net') });
    expect(records.map((item) => receivedMessageOf(item).recipients['archive@outside.test'])).toContainEqual(expect.objectContaining({ dropped: 'loop' }));
    await deliver([await arrive('sales@example.test', { more: marks })], { clock: () => new Date(now.getTime() + 7 * 86_400_000) });
    expect(await sent()).toHaveLength(2);
  });

  test('is sent by ten aliases in a row, each of which keeps the marks of the others, and by no more', async () => {
    let more = '';
    for (let number = 1; number <= 11; number++) {
      await addAlias(`a${number}@example.test`, { bcc: `b${number}@outside.test` });
      await deliver([await arrive(`a${number}@example.test`, { more })]);
      more = marksOf(await sentTo(`b${number}@outside.test`));
      expect(more.match(/^X-Postrider-Copy: /gm) ?? []).toHaveLength(number % 11);
    }
    expect(await sent()).toHaveLength(10);
  });

  test('to an address of the alias’s domain without an account is left out, and the record says why', async () => {
    await addAlias('sales@example.test', { bcc: 'former@example.test' });
    await deliver([await arrive('sales@example.test')]);
    const records = await mail.sendingTable.query({ pk: authorPartition('ann@example.net') });
    expect(receivedMessageOf(records[0]!).recipients['former@example.test']).toEqual({ n: 1, copyOf: 'sales@example.test', dropped: 'no account' });
  });

  test('is not sent to an address of the same domain that receives no mail', async () => {
    await addAlias('sales@example.test', { bcc: 'former@example.test' });
    await deliver([await arrive('sales@example.test')]);
    expect([await sent(), await inboxes()]).toEqual([[], [1, 0]]);
  });

  test('is not sent outside by an alias that may not send', async () => {
    await addAlias('sales@example.test', { bcc: 'archive@outside.test', can_send_from: false });
    await deliver([await arrive('sales@example.test')]);
    expect([await sent(), await inboxes()]).toEqual([[], [1, 0]]);
  });

  describe('is not copied when Cognito sent it, because it may have a code or a password', () => {
    const cognito = 'no-reply@verificationemail.com';
    const arriveFrom = (author: string, { results = '', verdicts = {} }: { results?: string; verdicts?: Readonly<Record<string, string>> } = {}) => {
      const sesFields = results === '' ? '' : `Authentication-Results: amazonses.com;\r\n ${results}\r\nX-SES-RECEIPT: x\r\n`;
      const text = `${sesFields}${raw('sales@example.test').replace('Ann <ann@example.net>', author)}`;
      return mail.arrive(`ses-${++arrived}`, text, ['sales@example.test'], { sender: `bounces@amazonses.com`, timestamp: now.toISOString(), verdicts });
    };
    const recordedRecipients = async () => {
      const records = await mail.sendingTable.query({ pk: authorPartition(cognito) });
      return receivedMessageOf(records[0]!).recipients;
    };
    const passes = { verdicts: { dmarcVerdict: 'PASS' } };
    const isGray = { dmarcVerdict: 'GRAY' };

    test.each<[string, string, Parameters<typeof arriveFrom>[1]]>([
      ['passes DMARC', cognito, passes],
      ['has a DKIM signature of the author’s domain', cognito, { results: 'dkim=pass header.i=@verificationemail.com;', verdicts: isGray }],
      ['is from the address from which people are invited by SES', 'Sign-in <No-Reply@example.test>', passes],
    ])('and the message %s', async (_title, author, proof) => {
      await addAlias('sales@example.test', { bcc: 'archive@outside.test' });
      await deliver([await arriveFrom(author, proof)]);
      expect([await sent(), await inboxes()]).toEqual([[], [1, 0]]);
    });

    test('neither to an account of the deployment; and the record of the message says why', async () => {
      await addAlias('sales@example.test', { bcc: 'bob@example.test' });
      await deliver([await arriveFrom(cognito, passes)]);
      expect(await inboxes()).toEqual([1, 0]);
      expect((await recordedRecipients())['bob@example.test']).toEqual({ n: 1, copyOf: 'sales@example.test', dropped: 'sign-in mail' });
    });

    test.each<[string, string, Parameters<typeof arriveFrom>[1]]>([
      ['forges Cognito’s address', cognito, { verdicts: { dmarcVerdict: 'FAIL' } }],
      ['claims it without proof', cognito, { verdicts: isGray }],
      ['signs with another domain', cognito, { results: 'dkim=pass header.i=@evil.example; dkim=fail header.i=@verificationemail.com;', verdicts: isGray }],
      ['writes the results itself', `${cognito}\r\nAuthentication-Results: amazonses.com; dkim=pass header.d=verificationemail.com`, { verdicts: isGray }],
      ['has an author of another domain', 'no-reply@verificationemail.com.evil.example', passes],
      ['has a second author', `${cognito}, Ann <ann@example.net>`, passes],
    ])('but is copied when the sender %s', async (_title, author, proof) => {
      await addAlias('sales@example.test', { bcc: 'bob@example.test' });
      await deliver([await arriveFrom(author, proof)]);
      expect(await inboxes()).toEqual([1, 1]);
    });
  });

  test('keeps the X-Loop fields of the original, so that copies of copies end', async () => {
    await addAlias('sales@example.test', { bcc: 'archive@outside.test' });
    await deliver([await arrive('sales@example.test', { more: 'X-Loop: archive@outside.test\r\n' })]);
    const [copy] = await sent();
    expect(copy!.raw).toContain('X-Loop: archive@outside.test\r\nX-Loop: sales@example.test\r\n');
  });
});
