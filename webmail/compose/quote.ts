import { escapeHtml } from '../../contract/values/escape-html.ts';
import type { OriginalUse } from '../context/composers.ts';
import type { BodyPart, Email, EmailAddress, EmailBody } from '../jmap/types.ts';
import { valueOf } from '../message/body-html.ts';
import { formatOf, linesOf } from '../message/text-blocks.ts';
import { composeWords, quotedTime } from '../words/compose-words.ts';
import { words } from '../words/words.ts';
import type { Draft, Quote } from './draft.ts';
import { oneLine, writable } from './header-text.ts';

/** A message that is quoted. */
export type QuoteSource = {
  readonly email: Email;
  readonly body: EmailBody;
  /** Its sanitized HTML. Undefined for a message in plain text. */
  readonly html: string | undefined;
  /** The text of its HTML, for a message whose text is empty or absent. */
  readonly htmlText: string | undefined;
  /** Default: where the browser is. */
  readonly timeZone?: string;
};

/** The uses that have a quote. */
export type QuoteUse = Exclude<OriginalUse, 'forwardAsAttachment'>;

/** Classes of the quote, by which a draft that is opened again is split. */
export const quoteClasses = { whole: 'webmail-original', original: 'webmail-quote' } as const;

/** Maximum characters of the original that its text has. */
const maxText = 1_000_000;

const person = ({ name, email }: EmailAddress): string => (name === null ? email : `${name} <${email}>`);
const people = (addresses: readonly EmailAddress[] | null): string => writable(addresses).map(person).join(', ');

/** A line of a text with the quote marks that it has (RFC 3676 §4.5). A mark that is text has a blank before it (§4.4). */
const marked = (depth: number, text: string): string => `${'>'.repeat(depth)}${(depth > 0 && text !== '') || text.startsWith('>') ? ' ' : ''}${text}`;

/** A text part, with flowed lines joined. */
export const partText = (body: EmailBody, part: BodyPart): string => {
  const value = valueOf(body, part);
  const format = formatOf(part);
  if (format === 'fixed') return value;
  return linesOf(value, format)
    .map(({ depth, text }) => marked(depth, text))
    .join('\n');
};

/** The lines of the original. Its HTML is read once, however many parts it has. */
const originalLines = ({ body, htmlText = '' }: QuoteSource): readonly string[] => {
  const html = body.textBody.find(({ type }) => type === 'text/html');
  const texts = body.textBody.filter((part) => part.type === 'text/plain' || part === html);
  const joined = texts
    .map((part) => (part === html ? htmlText : partText(body, part)).trimEnd())
    .join('\n')
    .trimEnd();
  const whole = joined.trim() === '' ? htmlText : joined;
  const isCut = whole.length > maxText || texts.some(({ partId }) => body.bodyValues[partId ?? '']?.isTruncated);
  return [...whole.slice(0, maxText).trimEnd().split(/\r?\n/), ...(isCut ? [composeWords.cut] : [])];
};

/** The line after a hunk of a patch, whose header says how many lines it has before and after the change. */
const hunkEnd = (lines: readonly string[], at: number): number => {
  const header = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/.exec(lines[at]!);
  if (!header) return at;
  let [before, after] = [Number(header[1] ?? 1), Number(header[2] ?? 1)];
  let next = at + 1;
  for (; (before > 0 || after > 0) && next < lines.length; next += 1) {
    const [mark = ' '] = lines[next]!;
    if (mark !== '+' && mark !== '-' && mark !== ' ') break;
    if (mark !== '+') before -= 1;
    if (mark !== '-') after -= 1;
  }
  return next;
};

/** The line at which the signature begins. A line of a patch that removes `- ` looks like it. */
const signatureStart = (lines: readonly string[]): number => {
  for (let at = 0; at < lines.length; at = Math.max(at + 1, hunkEnd(lines, at))) if (lines[at] === '-- ') return at;
  return -1;
};

/** The lines without the signature of their author, unless there is nothing else. */
const withoutSignature = (lines: readonly string[]): readonly string[] => {
  const at = signatureStart(lines);
  const kept = at < 0 ? lines : lines.slice(0, at);
  const end = kept.findLastIndex((line) => line.trim() !== '') + 1;
  return end === 0 ? lines : kept.slice(0, end);
};

const timeOf = ({ email, body, timeZone }: QuoteSource): string =>
  (body.sentAt && quotedTime(body.sentAt, timeZone)) || quotedTime(email.receivedAt, timeZone) || '';

const attribution = (source: QuoteSource): string => {
  const [author] = writable(source.email.from);
  return composeWords.wrote(timeOf(source), author ? person(author) : words.noSender);
};

/** The fields of a forwarded message, without those that it does not have. */
const headerBlock = (source: QuoteSource): readonly (readonly [name: string, value: string])[] => {
  const { email, body } = source;
  return (
    [
      [words.from, people(email.from)],
      [words.date, timeOf(source)],
      [words.subject, oneLine(email.subject ?? '')],
      [words.to, people(email.to)],
      [words.cc, people(body.cc)],
    ] as const
  ).filter(([, value]) => value !== '');
};

/** The quote as text. A message in plain text has it in its text. */
export const plainQuote = (use: QuoteUse, source: QuoteSource): string => {
  const lines = originalLines(source);
  if (use === 'forward') return [composeWords.forwarded, ...headerBlock(source).map((field) => field.join(': ')), '', ...lines].join('\n');
  const quoted = withoutSignature(lines).map((line) => (line === '' || line.startsWith('>') ? `>${line}` : `> ${line}`));
  return [attribution(source), ...(quoted.length > 0 ? quoted : ['>'])].join('\n');
};

/** The text of the original as HTML, with its spaces. */
const preformatted = (lines: readonly string[]): string =>
  `<pre dir="auto" style="white-space: pre-wrap; font: inherit; margin: 0">\n${escapeHtml(lines.join('\n'))}</pre>`;

/** The style of a quote, which nothing in it leaves to cover the words beside it. */
export const bounds = 'position: relative; overflow: auto';

/** Quotes a message in one element below what the person writes. */
export const quoteOf = (use: QuoteUse, source: QuoteSource): Quote => {
  const { whole, original } = quoteClasses;
  const lines = () => (use === 'forward' ? originalLines(source) : withoutSignature(originalLines(source)));
  const content = source.html ?? preformatted(lines());
  const html =
    use === 'forward'
      ? `<div>${[composeWords.forwarded, ...headerBlock(source).map(([name, value]) => `<b>${name}:</b> ${escapeHtml(value)}`)].join('<br>')}</div><br>` +
        `<div class="${original}" style="${bounds}">${content}</div>`
      : `<div>${escapeHtml(attribution(source))}</div><blockquote type="cite" class="${original}" style="${bounds}">${content}</blockquote>`;
  return { html: `<div class="${whole}">${html}</div>`, text: plainQuote(use, source) };
};

const gap = '\n\n';

/** The person's own text, with the quote below. */
export const joinedText = ({ text, quote }: Pick<Draft, 'text' | 'quote'>): string =>
  quote === undefined || quote.text === '' ? text : `${text}${gap}${quote.text}`;

/** Where the quote of a reply begins: at the line before the quoted lines that end the text. */
const replyStart = (text: string): number => {
  let start = text.lastIndexOf('\n') + 1;
  if (text[start] !== '>') return -1;
  while (start > 0 && text[start] === '>') start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return start;
};

/** The place of the quote with which a message in plain text ends, at the empty line above it. The end of a text without one. */
export const plainQuoteStart = (text: string): number => {
  const forwarded = text.indexOf(`${gap}${composeWords.forwarded}\n`);
  if (forwarded >= 0) return forwarded;
  if (replyStart(text.trimEnd()) < 0) return text.length;
  // Answers may stand between the quoted lines.
  const quoted = text.search(/^>/m);
  const start = quoted < 2 ? 0 : text.lastIndexOf('\n', quoted - 2) + 1;
  return text.slice(0, start).endsWith(gap) ? start - gap.length : start;
};

/** Splits what {@link joinedText} joined, by the HTML of the quote. A text that another program wrote may be whole the person's. */
export const splitText = (text: string, quoteHtml: string): { readonly own: string; readonly quote: string } => {
  const isReply = quoteHtml.slice(0, quoteHtml.indexOf(quoteClasses.original)).includes('<blockquote');
  const start = isReply ? replyStart(text) : text.indexOf(`${gap}${composeWords.forwarded}\n`) + gap.length;
  return start >= gap.length && text.slice(start - gap.length, start) === gap
    ? { own: text.slice(0, start - gap.length), quote: text.slice(start) }
    : { own: text, quote: '' };
};
