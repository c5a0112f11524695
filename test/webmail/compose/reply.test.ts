import { draftStart, replyToDiffers, type StartUse } from '../../../webmail/compose/reply.ts';
import type { Email, EmailAddress, EmailBody } from '../../../webmail/jmap/types.ts';
import { bodyWith, emailWith, identityWith, partWith } from './original.ts';

const identities = [
  identityWith('domain', '*@example.test'),
  identityWith('first', 'alice@example.test'),
  identityWith('sales', 'sales@example.test', { name: 'Sales', replyTo: [{ name: null, email: 'desk@example.org' }] }),
  identityWith('team', 'sales@example.test', { name: 'Team' }),
];
const isOwn = (address: string): boolean => address.toLowerCase() === 'old-alice@example.org';

/** `Ann <ann@example.net>, bob@example.net` as addresses. */
const list = (text: string): EmailAddress[] =>
  text === ''
    ? []
    : text.split(', ').map((each) => {
        const [, name, email] = /^(?:(.*) <)?([^<>]+)>?$/.exec(each)!;
        return { name: name ?? null, email: email! };
      });
const written = (addresses: readonly EmailAddress[]): string => addresses.map(({ name, email }) => (name === null ? email : `${name} <${email}>`)).join(', ');

type Fields = { from?: string; to?: string; cc?: string; bcc?: string; replyTo?: string; post?: string; followup?: string };
const start = (use: StartUse, fields: Fields, more: { email?: Partial<Email>; body?: Partial<EmailBody>; html?: string } = {}) => {
  const addresses = (text: string | undefined) => (text === undefined ? null : list(text));
  const { from = 'Ann <ann@example.net>', to = 'alice@example.test' } = fields;
  const email = emailWith({ from: addresses(from), to: addresses(to), ...more.email });
  const body = bodyWith({
    cc: addresses(fields.cc),
    bcc: addresses(fields.bcc),
    replyTo: addresses(fields.replyTo),
    'header:List-Post:asURLs': fields.post === undefined ? null : [fields.post],
    'header:Mail-Followup-To:asAddresses': addresses(fields.followup),
    ...more.body,
  });
  return draftStart(use, { email, body, identities, isOwn, html: more.html });
};
const recipients = (use: StartUse, fields: Fields) => {
  const { to, cc, bcc } = start(use, fields);
  return [written(to), written(cc), ...(bcc.length > 0 ? [written(bcc)] : [])];
};
const listPost = 'mailto:list@lists.example.org';

describe('the recipients of', () => {
  test.each<[string, StartUse, Fields, string[]]>([
    ['a reply are the author', 'reply', { cc: 'bob@example.net' }, ['Ann <ann@example.net>', '']],
    ['a reply are those of Reply-To', 'reply', { replyTo: 'a@example.net, b@example.net, A@EXAMPLE.net' }, ['a@example.net, b@example.net', '']],
    ['a reply ignore a senseless Reply-To', 'reply', { replyTo: 'nobody' }, ['Ann <ann@example.net>', '']],
    ['a reply without an author are none', 'reply', { from: '' }, ['', '']],
    ['a reply to oneself are oneself', 'reply', { from: 'alice@example.test' }, ['alice@example.test', '']],
    ['a reply to one’s own message are its recipients', 'reply', { from: 'Alice@example.test', to: 'b@x.net', cc: 'c@x.net' }, ['b@x.net', '']],
    ['a reply to one’s own message to Cc alone are those', 'reply', { from: 'alice@example.test', to: '', cc: 'c@x.net' }, ['c@x.net', '']],
    ['a reply to one’s own hidden recipients remain hidden', 'reply', { from: 'alice@example.test', to: '', bcc: 'c@x.net' }, ['', '', 'c@x.net']],
    [
      'a reply to one’s own message ignore one’s Reply-To',
      'reply',
      { from: 'sales@example.test', to: 'b@x.net', replyTo: 'desk@example.org' },
      ['b@x.net', ''],
    ],
    [
      'a reply to a form of one’s own site are the visitor',
      'reply',
      { from: 'sales@example.test', to: 'sales@example.test', replyTo: 'v@x.net' },
      ['v@x.net', ''],
    ],
    ['a reply to a list that is in Reply-To are the list', 'reply', { replyTo: 'list@lists.example.org', post: listPost }, ['list@lists.example.org', '']],
    [
      'a reply to all are all others, once',
      'replyAll',
      { to: 'ALICE@example.test, b@x.net, ann@EXAMPLE.net', cc: 'old-alice@example.org, B@x.net, c@x.net, sales@Example.test' },
      ['Ann <ann@example.net>, b@x.net', 'c@x.net'],
    ],
    ['a reply to all leave out one’s address with a detail', 'replyAll', { to: 'alice+shop@example.test, b@x.net' }, ['Ann <ann@example.net>, b@x.net', '']],
    ['a reply to all keep others of one’s domain', 'replyAll', { to: 'bob@example.test' }, ['Ann <ann@example.net>, bob@example.test', '']],
    ['a reply to all have Reply-To in place of From', 'replyAll', { replyTo: 'r@x.net', to: 'alice@example.test, b@x.net' }, ['r@x.net, b@x.net', '']],
    ['a reply to all of one’s own message are its own', 'replyAll', { from: 'alice@example.test', to: 'b@x.net', cc: 'c@x.net' }, ['b@x.net', 'c@x.net']],
    ['a reply to all of a note to oneself are oneself', 'replyAll', { from: 'alice@example.test', to: 'Alice@example.test' }, ['Alice@example.test', '']],
    ['a reply to all with Reply-To of oneself alone are oneself', 'replyAll', { replyTo: 'alice@example.test' }, ['alice@example.test', '']],
    ['a reply to all are those of Mail-Followup-To', 'replyAll', { to: 'b@x.net', followup: 'list@x.net, alice@example.test' }, ['list@x.net', '']],
    ['a reply to all ignore an empty Mail-Followup-To', 'replyAll', { followup: '' }, ['Ann <ann@example.net>', '']],
    ['a reply to all ignore a senseless Mail-Followup-To', 'replyAll', { followup: 'nobody, @, x@y' }, ['Ann <ann@example.net>', '']],
    ['a reply to all ignore a Mail-Followup-To of oneself', 'replyAll', { followup: 'alice@example.test' }, ['Ann <ann@example.net>', '']],
    ['a reply to all have the list', 'replyAll', { post: listPost }, ['Ann <ann@example.net>', 'list@lists.example.org']],
    [
      'a reply to all have the list once, and the author behind its Reply-To',
      'replyAll',
      { to: 'List <List@lists.example.org>', replyTo: 'list@lists.example.org', post: listPost },
      ['Ann <ann@example.net>, list@lists.example.org', ''],
    ],
    ['a reply to all ignore a list that is no address', 'replyAll', { post: 'mailto:a%0d%0ab@x.net,c@x.net' }, ['Ann <ann@example.net>', '']],
    ['a reply to all ignore a list on the web', 'replyAll', { post: 'https://x.net/post@x.net' }, ['Ann <ann@example.net>', '']],
    ['a forward are none', 'forward', { cc: 'b@x.net' }, ['', '']],
    ['a message with the original attached are none', 'forwardAsAttachment', { cc: 'b@x.net' }, ['', '']],
    ['a copy are those of the message', 'editAsNew', { to: 'b@x.net', cc: 'c@x.net', bcc: 'd@x.net' }, ['b@x.net', 'c@x.net', 'd@x.net']],
  ])('%s', (_, use, fields, expected) => expect(recipients(use, fields)).toEqual(expected));

  test('a reply have names on one line and addresses that can be written', () => {
    const from = [
      { name: 'Ann\r\nBcc: x\u202e', email: 'ann@example.net\r\n' },
      { name: 'x', email: '<>' },
    ];
    expect(start('reply', {}, { email: { from } }).to).toEqual([{ name: 'Ann  Bcc: x', email: 'ann@example.net' }]);
  });

  test('a reply to all of 10,000 people take no long time', () => {
    const to = Array.from({ length: 10_000 }, (_, index) => ({ name: null, email: `p${index}@example.net` }));
    const started = process.cpuUsage();
    expect(start('replyAll', {}, { email: { to }, body: { cc: to } }).to).toHaveLength(10_001);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(3);
  });
});

test.each<[string, Fields, string]>([
  ['To', { to: 'b@x.net, SALES@example.test', cc: 'alice@example.test' }, 'sales'],
  ['Cc', { to: 'b@x.net', cc: 'sales@example.test' }, 'sales'],
  ['Bcc', { to: 'b@x.net', bcc: 'sales@example.test' }, 'sales'],
  ['no field', { to: 'b@x.net' }, 'first'],
  ['To, of the domain of a wildcard', { to: 'other@example.test' }, 'first'],
  ['From', { from: 'sales@example.test', to: 'alice@example.test' }, 'sales'],
  ['From with the name of another identity', { from: 'Team <sales@example.test>', to: 'alice@example.test' }, 'team'],
])('a reply is from the identity whose address is in %s', (_, fields, expected) => {
  expect(start('reply', fields).identityId).toBe(expected);
});

const ids = (count: number, prefix = 'id'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}@x`);
test.each<[string, Partial<EmailBody>, string[], string[]]>([
  ['with references', { references: ['a@x', 'b@x'], inReplyTo: ['c@x'] }, ['plan@example.net'], ['a@x', 'b@x', 'plan@example.net']],
  ['with one In-Reply-To', { inReplyTo: ['c@x'] }, ['plan@example.net'], ['c@x', 'plan@example.net']],
  ['with two In-Reply-To', { inReplyTo: ['c@x', 'd@x'] }, ['plan@example.net'], ['plan@example.net']],
  ['without Message-ID', { messageId: null, references: ['a@x'] }, [], ['a@x']],
  ['that refers to itself', { references: ['plan@example.net', 'a@x', 'a@x'] }, ['plan@example.net'], ['a@x', 'plan@example.net']],
  ['with ids that nobody can write', { messageId: ['a b@x'], references: ['<a@x>', `${'a'.repeat(2000)}@x`, 'a\r\n@x', 'ok@x'] }, [], ['ok@x']],
  ['of a long thread', { references: ids(500) }, ['plan@example.net'], ['id0@x', ...ids(500).slice(-19), 'plan@example.net']],
])('an answer to a message %s has the thread of it', (_, body, inReplyTo, references) => {
  expect(start('reply', {}, { body })).toMatchObject({ inReplyTo, references });
  expect(start('forward', {}, { body })).toMatchObject({ inReplyTo: [], references });
  expect(start('editAsNew', {}, { body })).toMatchObject({ inReplyTo: [], references: [] });
});

test.each<[string, StartUse, string[]]>([
  ['a reply has the images that its quote shows', 'reply', ['a.png logo@x', 'amp.png a&b@x']],
  ['a forward has all files', 'forward', ['a.png logo@x', 'b.png', 'amp.png a&b@x', 'again.png', 'page.html', 'd.svg', 'c.pdf', 'deep', 'between.jpg']],
  ['a copy has all files', 'editAsNew', ['a.png logo@x', 'b.png', 'amp.png a&b@x', 'again.png', 'page.html', 'd.svg', 'c.pdf', 'deep', 'between.jpg']],
  ['a forward as a file has the message', 'forwardAsAttachment', ['Plan_ _A_.eml']],
])('%s', (_, use, expected) => {
  const image = { type: 'image/png', disposition: 'inline' };
  const between = partWith({ ...image, partId: '9', name: 'between.jpg' });
  const attachments = [
    partWith({ ...image, partId: '2', name: 'a.png', cid: 'logo@x' }),
    partWith({ ...image, partId: '3', name: 'b.png', cid: 'unused@x' }),
    partWith({ ...image, partId: '4', name: 'amp.png', cid: 'a&b@x' }),
    partWith({ ...image, partId: '5', name: 'again.png', cid: 'logo@x' }),
    partWith({ partId: '6', type: 'text/html', name: 'page.html', cid: 'page@x' }),
    partWith({ ...image, partId: '11', type: 'image/svg+xml', name: 'd.svg', cid: 'svg@x' }),
    partWith({ partId: '7', type: 'application/pdf', name: 'c.pdf\r\n' }),
    partWith({ partId: '8', type: 'multipart/mixed', name: 'deep' }),
    partWith({ partId: '10', blobId: null }),
  ];
  const html = '<img src="cid:logo@x"><img src="cid:page@x"><img src="cid:svg@x"><img data-cid="a&amp;b@x">';
  const body = { attachments, htmlBody: [partWith(), between], textBody: [partWith(), between] };
  const { parts } = start(use, {}, { body, html, email: { subject: 'Plan: "A"' } });
  expect(parts.map(({ name, cid }) => (cid === null ? name : `${name} ${cid}`))).toEqual(expected);
  expect(parts.map(({ type }) => type)).not.toContain('multipart/mixed');
  if (use === 'forwardAsAttachment') expect(parts[0]).toMatchObject({ blobId: 'blob-of-e1', type: 'message/rfc822', size: 1234 });
});

test.each([
  ['ann@example.net', 'a@EXAMPLE.net', false],
  ['ann@example.net', 'a@example.net, b@x.net', true],
  ['ann@example.net', '', false],
  ['', 'b@x.net', false],
])('a Reply-To that has another domain is told: from %j, to %j', (from, replyTo, expected) => {
  expect(replyToDiffers({ from: list(from) }, { replyTo: list(replyTo) })).toBe(expected);
});
