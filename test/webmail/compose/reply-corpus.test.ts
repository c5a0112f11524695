import { parseDocument } from 'htmlparser2';
import { plainQuote, quoteOf, type QuoteSource } from '../../../webmail/compose/quote.ts';
import type { Email } from '../../../webmail/jmap/types.ts';
import { emailWith, partWith, textBody } from './original.ts';
import { plainMails } from './plain-mails.ts';

const wrote = 'On 30 November 2026 at 10:32, Ann <ann@example.net> wrote:';
const sourceOf = (text: string, contentType?: string, email: Partial<Email> = {}): QuoteSource => ({
  email: emailWith(email),
  body: textBody(text, contentType),
  html: undefined,
  htmlText: undefined,
  timeZone: 'UTC',
});
const plain = Object.entries(plainMails);

test.each(plain)('a reply to %s quotes what a person reads', (_, { text, contentType, quoted }) => {
  expect(plainQuote('reply', sourceOf(text, contentType)).split('\n')).toEqual([wrote, ...quoted]);
});

test.each(plain)('a reply in HTML to %s has its lines in one element', (_, { text, contentType, quoted }) => {
  const evil = { from: [{ name: '</div><img src=x onerror=alert(1)>\r\nBcc: eve@evil.example', email: 'a"<b>@x.net' }] };
  const { html } = quoteOf('reply', sourceOf(text, contentType, evil));
  type Parsed = { readonly name?: string; readonly data?: string; readonly children?: readonly Parsed[] };
  const shape = ({ name, data = '', children = [] }: Parsed): unknown => (name === undefined ? data : [name, ...children.map(shape)]);
  const marked = (line: string): string => (line === '' || line.startsWith('>') ? `>${line}` : `> ${line}`);
  const attribution = 'On 30 November 2026 at 10:32, </div><img src=x onerror=alert(1)>  Bcc: eve@evil.example <a"b@x.net> wrote:';
  const parsed = (parseDocument(html) as Parsed).children!.map(shape);
  expect(parsed).toEqual([['div', ['div', attribution], ['blockquote', ['pre', expect.any(String)]]]]);
  const [[, , [, [, pre]]]] = parsed as [[string, unknown, [string, [string, string]]]];
  expect(pre.slice(1).split('\n').map(marked)).toEqual(quoted);
});

test.each([
  ['is empty', ' \r\n', 'From HTML'],
  ['has words', 'Own words', 'Own words'],
])('a reply to a mail of two forms whose text %s quotes the one with words', (_, text, expected) => {
  const { body, ...source } = sourceOf(text);
  const htmlBody = [partWith({ partId: '2', type: 'text/html' })];
  expect(plainQuote('reply', { ...source, body: { ...body, htmlBody }, htmlText: 'From HTML' })).toBe(`${wrote}\n> ${expected}`);
});
