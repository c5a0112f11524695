import { draftOf, emailOf, newMessageId } from '../../../webmail/compose/draft-email.ts';
import type { Draft, DraftPart } from '../../../webmail/compose/draft.ts';
import { copiedPart, keptParts } from '../../../webmail/compose/kept-parts.ts';
import { quoteOf } from '../../../webmail/compose/quote.ts';
import type { CallMethod } from '../../../webmail/jmap/requests.ts';
import type { Email, EmailBody } from '../../../webmail/jmap/types.ts';
import { bodyProperties, listProperties, partProperties } from '../../../webmail/store/read-properties.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../../lambdas/jmap/jmap-deployment.ts';
import { emailWith, identityWith, textBody } from './original.ts';

const identities = [
  identityWith('first', 'first@example.test'),
  identityWith('alice', 'alice@example.test', {
    name: 'Älice "A" <B>',
    replyTo: [{ name: null, email: 'desk@example.test' }],
    bcc: [{ name: null, email: 'Archive@example.test' }],
  }),
];
const draftWith = (properties: Partial<Draft> = {}): Draft => ({
  messageId: 'draft@example.test',
  identityId: 'alice',
  to: [{ name: 'Bob', email: 'bob@example.net' }],
  cc: [],
  bcc: [],
  subject: 'Plan',
  html: null,
  text: 'Hello',
  quote: undefined,
  parts: [],
  inReplyTo: [],
  references: [],
  original: undefined,
  ...properties,
});

let deployment: JmapDeployment;
let drafts: string;
beforeAll(async () => {
  deployment = await jmapDeployment();
  drafts = (await deployment.roles())['drafts']!;
});

const fileOf = async (content: string, properties: Partial<DraftPart>): Promise<DraftPart> => ({
  blobId: await deployment.upload(Buffer.from(content)),
  type: 'application/pdf',
  name: null,
  size: Buffer.byteLength(content),
  cid: null,
  ...properties,
});

/** The Email that the server makes of a draft, as the web mail reads it. */
const stored = async (draft: Draft): Promise<{ email: Email; body: EmailBody }> => {
  const message = emailOf(
    draft,
    identities.find(({ id }) => id === draft.identityId),
    drafts,
  );
  const { created, notCreated } = await deployment.call('Email/set', { create: { message } });
  expect(notCreated).toBeNull();
  const { list } = await deployment.call('Email/get', {
    ids: [created.message.id],
    properties: [...listProperties, ...bodyProperties],
    bodyProperties: partProperties,
    fetchTextBodyValues: true,
    fetchHTMLBodyValues: true,
  });
  return { email: list[0] as Email, body: list[0] as EmailBody };
};
/** The draft that is opened again, split as the browser would. */
const opened = async (draft: Draft): Promise<Draft> => {
  const found = await stored(draft);
  const html = found.body.htmlBody[0]?.type === 'text/html' ? found.body.bodyValues[found.body.htmlBody[0].partId!]!.value : undefined;
  const at = html?.indexOf('<div class="webmail-original">') ?? -1;
  const split = html === undefined ? undefined : { own: at < 0 ? html : html.slice(0, at), quote: at < 0 ? undefined : html.slice(at) };
  return draftOf({ ...found, identities, split });
};
const content = async (blobId: string): Promise<string> => {
  const { list } = await deployment.call(
    'Blob/get',
    { ids: [blobId], properties: ['data:asText'] },
    { using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:blob'] },
  );
  return (list as Json[])[0]!['data:asText'] as string;
};

const unicode = 'Grüße, 日本語 «שלום» 👩‍👩‍👧 i̇'.normalize('NFC');
const people = Array.from({ length: 50 }, (_, index) => ({ name: `Person ${index}, “${unicode}”`, email: `person${index}@example.net` }));
const original = { ...textBody('One\n> Two\n\n-- \nAnn'), sentAt: '2026-11-30T10:32:00Z' };
const quoteSource = { email: emailWith({ from: [{ name: '<b>Ann', email: 'ann@example.net' }] }), body: original, html: undefined, htmlText: undefined };

describe('a draft is the same when it is opened again:', () => {
  test.each<[string, Partial<Draft>]>([
    ['plain text', {}],
    ['one that is empty', { to: [], subject: '', text: '' }],
    ['one whose HTML is empty', { to: [], subject: '', text: '', html: '' }],
    ['HTML', { html: '<p>Hello</p>' }],
    ['an answer', { html: '<p>Hello</p>', quote: quoteOf('reply', quoteSource), inReplyTo: ['a@x'], references: ['b@x', 'a@x'] }],
    ['an answer of nothing to nothing', { html: '', text: '', quote: quoteOf('replyAll', { ...quoteSource, body: textBody('') }) }],
    ['an answer with quote marks of its own', { html: '<p>x</p>', text: '> x\n\n> y\n', quote: quoteOf('reply', quoteSource) }],
    ['a forward', { html: '<p>FYI</p>', text: 'FYI\n\n\n', quote: quoteOf('forward', quoteSource) }],
    ['a forward of a forward', { html: '', text: '', quote: quoteOf('forward', { ...quoteSource, body: textBody(quoteOf('forward', quoteSource).text) }) }],
    ['one of Unicode', { subject: unicode, text: unicode, html: `<p>${unicode}</p>`, to: [{ name: unicode, email: 'ü@exämple.net' }] }],
    ['one with spaces at both ends', { subject: ' Plan ', text: ' a \n\n b \n' }],
    ['one of a long thread', { inReplyTo: ['a@x'], references: Array.from({ length: 21 }, (_, index) => `${index}${'a'.repeat(280)}@x`) }],
    ['one to 50 people', { to: people, cc: people.slice(0, 10), bcc: people.slice(10, 20) }],
    ['one of another identity', { identityId: 'first' }],
  ])('%s', async (_, properties) => {
    const draft = draftWith(properties);
    expect(await opened(draft)).toEqual(draft);
  });

  test.each([
    ['files alone', null, undefined],
    ['images and files', '<p><img src="cid:logo@x"></p>', undefined],
    ['an image of the quote', '', { html: '<div class="webmail-original"><img src="cid:logo@x"></div>', text: '' }],
  ])('%s', async (_, html, quote) => {
    const image = await fileOf('png', { type: 'image/png', name: 'logo.png', cid: html === null ? null : 'logo@x' });
    const text = await fileOf('text', { type: 'text/plain', name: 'ünï "code".txt' });
    const page = await fileOf('<p>', { type: 'text/html' });
    const message = await fileOf('Subject: x\r\n\r\ny', { type: 'message/rfc822', name: 'x.eml' });
    const draft = draftWith({ html, quote, parts: [image, text, page, message] });
    const again = await opened(draft);
    expect(again.parts.map(({ blobId: _blob, ...part }) => part)).toEqual(draft.parts.map(({ blobId: _blob, ...part }) => part));
    expect(await Promise.all(again.parts.map(({ blobId }) => content(blobId)))).toEqual(['png', 'text', '<p>', 'Subject: x\r\n\r\ny']);
    expect({ ...again, parts: [] }).toEqual({ ...draft, parts: [] });
    // A draft is saved many times, from the files of the one before.
    expect((await opened(again)).parts).toHaveLength(4);
  });
});

const call: CallMethod = (name, args) => ({
  result: deployment.call(name, { ...args }, { using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:blob'] }) as Promise<never>,
  ref: () => {
    throw new Error('not used');
  },
});

test('a draft that is opened again is saved many times, though each save destroys the one before', async () => {
  const file = await fileOf('text', { type: 'text/plain', name: 'a.txt' });
  const { email, body } = await stored(draftWith({ parts: [file, { ...file, name: 'b.txt' }] }));
  const draft = draftOf({ email, body, identities, split: undefined });
  const kept = { ...draft, parts: await keptParts(call, draft.parts) };
  let destroy = [email.id];
  for (let saves = 0; saves < 3; saves += 1) {
    const { created, notCreated } = await deployment.call('Email/set', { create: { message: emailOf(kept, identities[1], drafts) }, destroy });
    expect(notCreated).toBeNull();
    destroy = [created.message.id];
  }
  expect(kept.parts.map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
  await expect(keptParts(call, draft.parts)).rejects.toThrow(/blob/);
  expect(await keptParts(call, [])).toEqual([]);
});

test('a file of a message in another account is copied, and what is gone there is refused', async () => {
  await deployment.addMember('alice', 'acc_bob', 'READ', false);
  const ofBob = await deployment.upload(Buffer.from('of Bob'), 'acc_bob');
  const file: DraftPart = { blobId: ofBob, type: 'text/plain', name: 'a.txt', size: 6, cid: null };
  const copy = await copiedPart(call, 'acc_bob', file);
  expect([await content(copy.blobId), copy.name]).toEqual(['of Bob', 'a.txt']);
  await expect(copiedPart(call, 'acc_bob', { ...file, blobId: 'Gone' })).rejects.toThrow('no such blob');
});

const partsIn = (part: { readonly type: string; readonly subParts?: readonly (typeof part)[] }): string =>
  part.subParts ? `${part.type.slice('multipart/'.length)}(${part.subParts.map(partsIn).join(' ')})` : part.type;
const file = { blobId: 'b', type: 'application/pdf', name: 'a.pdf', size: 1, cid: null };
const image = { ...file, type: 'image/png', cid: 'logo@x' };
test.each<[string, Partial<Draft>, string]>([
  ['plain text', {}, 'text/plain'],
  ['plain text and a file', { parts: [file] }, 'mixed(text/plain application/pdf)'],
  ['plain text and an image', { parts: [image] }, 'mixed(text/plain image/png)'],
  ['HTML', { html: '<p>' }, 'alternative(text/plain text/html)'],
  ['HTML and an image', { html: '<img src="cid:logo@x">', parts: [image] }, 'alternative(text/plain related(text/html image/png))'],
  [
    'HTML, an image and a file',
    { html: '<img src="cid:logo@x">', parts: [image, file] },
    'mixed(alternative(text/plain related(text/html image/png)) application/pdf)',
  ],
  ['HTML that does not show its image any more', { html: '<p>', parts: [image] }, 'alternative(text/plain text/html)'],
  ['a file that claims to be a multipart', { parts: [{ ...file, type: 'multipart/mixed' }] }, 'mixed(text/plain application/octet-stream)'],
  ['a file of no type', { parts: [{ ...file, type: '' }] }, 'mixed(text/plain application/octet-stream)'],
])('an Email of %s has these parts', (_, properties, expected) => {
  expect(partsIn(emailOf(draftWith(properties), identities[1], 'drafts').bodyStructure)).toBe(expected);
});

test('an Email of a draft is a read draft from the identity, with its Reply-To and its hidden copies once', async () => {
  const { email, body } = await stored(draftWith({ bcc: [{ name: null, email: 'archive@EXAMPLE.test' }] }));
  expect(email).toMatchObject({ mailboxIds: { [drafts]: true }, keywords: { $draft: true, $seen: true } });
  expect(email.from).toEqual([{ name: 'Älice "A" <B>', email: 'alice@example.test' }]);
  expect(body.replyTo).toEqual(identities[1]!.replyTo);
  expect(body.bcc).toEqual([{ name: null, email: 'archive@EXAMPLE.test' }]);
});

test('a draft whose fields are an attack is saved as text on one line', async () => {
  const evil = 'x\r\nBcc: eve@example.net\0\ud800';
  const { email, body } = await stored(
    draftWith({
      to: [{ name: evil, email: 'a@example.net>\r\n<b' }],
      subject: evil,
      text: evil,
      html: evil,
      inReplyTo: ['a@x', 'b c', '<d>', `${'e'.repeat(2000)}@x`, ''],
      references: ['\r\n', 'a@x'],
      parts: [{ ...(await fileOf('x', { type: 'text/html\r\n', name: evil })) }],
    }),
  );
  expect(email.subject).toBe('x  Bcc: eve@example.net \ufffd');
  expect(email.to).toEqual([{ name: 'x  Bcc: eve@example.net \ufffd', email: 'a@example.netb' }]);
  expect([body.bcc, body.inReplyTo, body.references]).toEqual([[{ name: null, email: 'Archive@example.test' }], ['a@x'], ['a@x']]);
  expect(body.attachments).toMatchObject([{ type: 'application/octet-stream', name: 'x  Bcc: eve@example.net \ufffd' }]);
});

test('a draft of another program that has HTML alone has its text', () => {
  const {
    textBody: [part],
  } = textBody('<p>a');
  const html = [{ ...part!, type: 'text/html' }];
  const body = { ...textBody('<p>a'), textBody: html, htmlBody: html };
  expect(draftOf({ email: emailWith(), body, identities, split: { own: '<p>a', quote: undefined }, htmlText: 'a' })).toMatchObject({ html: '<p>a', text: 'a' });
});

test('a draft of another program gets a Message-ID, and its whole text is the person’s', () => {
  const body = { ...textBody('a \nb\n> c', 'text/plain; format=flowed'), messageId: null };
  const draft = draftOf({ email: emailWith({ from: null }), body, identities, split: { own: '<p>a b', quote: '<div class="webmail-original">c</div>' } });
  expect(draft).toMatchObject({ text: 'a b\n> c', quote: { text: '' }, identityId: 'first' });
  expect(draft.messageId).toMatch(/^[\da-f-]{36}@example\.test$/);
  expect(newMessageId('nobody@<>')).toMatch(/@mail\.invalid$/);
});
