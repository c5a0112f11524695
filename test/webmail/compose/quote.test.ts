import { joinedText, plainQuote, quoteOf, splitText, type QuoteSource, type QuoteUse } from '../../../webmail/compose/quote.ts';
import type { BodyPart, Email, EmailBody } from '../../../webmail/jmap/types.ts';
import { bodyWith, emailWith, partWith, textBody } from './original.ts';

const sourceWith = (body: EmailBody, { email = {}, ...more }: Partial<Omit<QuoteSource, 'email'>> & { email?: Partial<Email> } = {}): QuoteSource => ({
  email: emailWith(email),
  body: { ...body, sentAt: '2026-11-30T11:32:00+01:00' },
  html: undefined,
  htmlText: undefined,
  timeZone: 'UTC',
  ...more,
});
const wrote = 'On 30 November 2026 at 10:32, Ann <ann@example.net> wrote:';
const block = (...lines: readonly string[]): string => ['---------- Forwarded message ----------', ...lines].join('\n');
const header = ['From: Ann <ann@example.net>', 'Date: 30 November 2026 at 10:32', 'Subject: Plan', 'To: Alice <alice@example.test>'];
const flowed = 'text/plain; format=flowed';

describe('the text of a quote', () => {
  test.each<[string, QuoteUse, QuoteSource, string]>([
    ['of a reply has marks', 'reply', sourceWith(textBody('a\n\n b\r\n> c\n>> d\n')), `${wrote}\n> a\n>\n>  b\n>> c\n>>> d`],
    ['of a reply to all has marks', 'replyAll', sourceWith(textBody('a')), `${wrote}\n> a`],
    ['of a reply joins flowed lines', 'reply', sourceWith(textBody('a \nb\n> c \n> d\n', flowed)), `${wrote}\n> a b\n>> c d`],
    ['of a reply has no signature', 'reply', sourceWith(textBody('a\n\n-- \nAnn')), `${wrote}\n> a`],
    ['of a reply has a signature that is all', 'reply', sourceWith(textBody('-- \nAnn')), `${wrote}\n> -- \n> Ann`],
    ['of a reply to nothing has a mark', 'reply', sourceWith(textBody('')), `${wrote}\n>`],
    ['of a reply has the text of HTML', 'reply', sourceWith(htmlBody(), { htmlText: 'a\nb' }), `${wrote}\n> a\n> b`],
    ['of a reply has all text parts', 'reply', sourceWith(twoTexts()), `${wrote}\n> a\n> b`],
    [
      'of a reply without an author names none',
      'reply',
      sourceWith(textBody('a'), { email: { from: null } }),
      `${wrote.replace(/, .*/, ', (no sender) wrote:')}\n> a`,
    ],
    ['of a forward has the fields', 'forward', sourceWith(textBody('a\n> b\n-- \nAnn\n')), block(...header, '', 'a', '> b', '-- ', 'Ann')],
    ['of a forward has Cc', 'forward', sourceWith({ ...textBody('a'), cc: [{ name: null, email: 'c@x.net' }] }), block(...header, 'Cc: c@x.net', '', 'a')],
    [
      'of a forward leaves out fields that are not there',
      'forward',
      sourceWith(textBody('a \nb', flowed), { email: { from: null, to: null, subject: null } }),
      block('Date: 30 November 2026 at 10:32', '', 'a b'),
    ],
    [
      'of a message with a date of nonsense has the time when it came',
      'reply',
      { ...sourceWith(textBody('a')), body: { ...textBody('a'), sentAt: '2026-99-99T00:00:00Z' } },
      `${wrote}\n> a`,
    ],
    [
      'of a forged header stays on its lines',
      'forward',
      sourceWith(textBody('a'), { email: { subject: 'x\r\n\r\ny\u202e', from: [{ name: 'A\nTo: b', email: 'a@x.net' }], to: null } }),
      block('From: A To: b <a@x.net>', 'Date: 30 November 2026 at 10:32', 'Subject: x    y ', '', 'a'),
    ],
  ])('%s', (_, use, source, expected) => {
    expect(plainQuote(use, source)).toBe(expected);
    expect(quoteOf(use, source).text).toBe(expected);
  });

  test.each([
    ['one line', 'a'.repeat(3_000_000)],
    ['many lines', 'a\n'.repeat(1_500_000)],
    ['empty lines', `a${'\n'.repeat(3_000_000)}b`],
    ['quote marks', '> '.repeat(1_500_000)],
    ['flowed lines', 'a \n'.repeat(1_000_000)],
    ['line ends of two characters', `a${'\r\n'.repeat(1_000_000)}b`],
  ])('of a long message of %s says that it is cut, and takes no long time', (_, value) => {
    const started = process.cpuUsage();
    const quote = plainQuote('reply', sourceWith(textBody(value, value.startsWith('a \n') ? flowed : undefined)));
    expect(quote.length).toBeLessThan(4_000_000);
    expect(quote).toMatch(/\n> \[…\]$/);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(4);
  });

  test('of a message that the server cut says so', () => {
    const body = textBody('a');
    const source = sourceWith({ ...body, bodyValues: { '1': { ...body.bodyValues['1']!, isTruncated: true } } });
    expect(plainQuote('reply', source)).toBe(`${wrote}\n> a\n> […]`);
  });
});

function htmlBody(): EmailBody {
  const part = partWith({ type: 'text/html' });
  return bodyWith({ textBody: [part, partWith({ type: 'image/png' }), { ...part }], htmlBody: [part] });
}
function twoTexts(): EmailBody {
  const value = (text: string) => ({ value: text, isEncodingProblem: false, isTruncated: false });
  const parts: BodyPart[] = [partWith(), partWith({ partId: '2' })];
  return bodyWith({ textBody: parts, htmlBody: parts, bodyValues: { '1': value('a\n\n'), '2': value('b\n') } });
}

describe('the HTML of a quote', () => {
  const escapedWrote = 'On 30 November 2026 at 10:32, Ann &lt;ann@example.net&gt; wrote:';
  test.each<[string, QuoteUse, QuoteSource, string]>([
    [
      'of a reply',
      'reply',
      sourceWith(textBody('a'), { html: '<p>a</p>' }),
      `<div class="webmail-original"><div>${escapedWrote}</div><blockquote type="cite" class="webmail-quote" style="position: relative; overflow: auto"><p>a</p></blockquote></div>`,
    ],
    [
      'of a forward',
      'forward',
      sourceWith(textBody('a'), { html: '<p>a</p>', email: { subject: '<script>&"', from: [{ name: '</div><img src=x>', email: 'a"@x.net' }] } }),
      '<div class="webmail-original"><div>---------- Forwarded message ----------<br><b>From:</b> &lt;/div&gt;&lt;img src=x&gt; &lt;a"@x.net&gt;' +
        '<br><b>Date:</b> 30 November 2026 at 10:32<br><b>Subject:</b> &lt;script&gt;&amp;"<br><b>To:</b> Alice &lt;alice@example.test&gt;' +
        '</div><br><div class="webmail-quote" style="position: relative; overflow: auto"><p>a</p></div></div>',
    ],
    [
      'of a message in plain text',
      'reply',
      sourceWith(textBody('</pre><script>&\n  > b \n-- \nAnn')),
      `<div class="webmail-original"><div>${escapedWrote}</div><blockquote type="cite" class="webmail-quote" style="position: relative; overflow: auto">` +
        '<pre dir="auto" style="white-space: pre-wrap; font: inherit; margin: 0">\n&lt;/pre&gt;&lt;script&gt;&amp;\n  &gt; b </pre></blockquote></div>',
    ],
  ])('%s', (_, use, source, expected) => expect(quoteOf(use, source).html).toBe(expected));
});

test.each<[string, string, QuoteUse, string]>([
  ['a reply', 'Hello', 'reply', 'a\n> b'],
  ['a reply with nothing of the person’s', '', 'reply', ''],
  ['a reply below marks of the person’s', '> x\n>\n\n\n', 'reply', 'a'],
  ['a forward', 'FYI\n> x', 'forward', '> a'],
  ['a forward of a forward', '', 'forward', plainQuote('forward', sourceWith(textBody('a')))],
])('the joined text of %s is split where it was joined', (_, own, use, value) => {
  const quote = quoteOf(use, sourceWith(textBody(value)));
  expect(splitText(joinedText({ text: own, quote }), quote.html)).toEqual({ own, quote: quote.text });
});

test.each(['', '\n> a', '> a', 'x\n> a', '>', '\n', '\n\n> a', 'no quote', `${'> a\n'.repeat(500_000)}> b`])(
  'a text that nobody joined, which begins with %.20j, is the person’s',
  (text) => {
    for (const use of ['reply', 'forward'] as const) expect(splitText(text, quoteOf(use, sourceWith(textBody('a'))).html)).toEqual({ own: text, quote: '' });
    expect(joinedText({ text, quote: { html: '<div>', text: '' } })).toBe(text);
  },
);
