import { createHash } from 'node:crypto';
import type { OutboxEntry } from './outbox.ts';
import type { OutboxMessage } from './outbox-message.ts';

const style = `
:root { color-scheme: light dark; --line: #8884; --dim: #767676; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --dim: #a0a0a0; --link: #8ab4f8 } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
h1 { font-size: 1.4rem; overflow-wrap: anywhere }
a { color: var(--link) }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
th { font-weight: 600 }
thead th, dt, footer { color: var(--dim); font-weight: 500 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem }
dd { margin: 0; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; font: inherit }
pre.source { font: .85rem/1.5 ui-monospace, monospace }
button { font: inherit; padding: .3rem .9rem }
nav { display: flex; gap: 1.25rem; align-items: center; flex-wrap: wrap }
`;

/** What a page of the outbox may load and do: its own style, its own form, nothing else. */
export const contentSecurityPolicy = [
  'default-src \'none\'', `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'form-action \'self\'', 'frame-ancestors \'none\'', 'base-uri \'none\'',
].join('; ');

/** Text as HTML shows it: nothing in it is markup any more. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll('\'', '&#39;');

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

const titleOf = ({ subject }: OutboxEntry): string => subject.trim() || '(no subject)';
const time = (at: string): string => `<time datetime="${escaped(at)}">${escaped(at.slice(0, 19).replace('T', ' '))}</time>`;
const place = ({ id }: OutboxEntry): string => `/messages/${encodeURIComponent(id)}`;

const row = (entry: OutboxEntry): string => `<tr>
<td>${time(entry.at)}</td>
<td>${escaped(entry.from)}</td>
<td>${escaped(entry.recipients.join(', '))}</td>
<td><a href="${place(entry)}">${escaped(titleOf(entry))}</a></td>
</tr>`;

/** The list shows this many; all are in messages.json. */
const shown = 200;

const table = (entries: readonly OutboxEntry[]): string => `<table>
<thead><tr><th scope="col">Sent (UTC)</th><th scope="col">From</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead>
<tbody>
${entries.slice(0, shown).map(row).join('\n')}
</tbody>
</table>`;

const clearForm = '<form method="post" action="/clear"><button type="submit">Empty the outbox</button></form>';

const howMany = (count: number): string => (count === 0 ? 'There is none.' : `${count} ${count === 1 ? 'message' : 'messages'}.`);

/** The outbox, newest first. */
export const listPage = (entries: readonly OutboxEntry[]): string => page('Outbox', `<main>
<h1>Outbox</h1>
<p>Mail to addresses outside this sandbox ends here. ${howMany(entries.length)}</p>
${entries.length === 0 ? '' : table(entries)}
<footer><nav aria-label="Outbox"><a href="/messages.json">As JSON</a>${entries.length === 0 ? '' : clearForm}</nav></footer>
</main>`);

const line = (name: string, values: readonly string[]): string =>
  (values.length === 0 ? '' : `<dt>${escaped(name)}</dt><dd>${escaped(values.join(', '))}</dd>\n`);

/** Beyond this many characters HTML is not made readable; its source is all there. */
const longestHtml = 50_000;

/** HTML as plain text: links keep their target, for a verification mail is of no use without it. */
const plain = (html: string): string => html.slice(0, longestHtml)
  .replaceAll(/<(style|script|head)\b[^>]*>.*?<\/\1>/gis, '')
  .replaceAll(/<a\b[^>]*\bhref=["']?([^"'\s>]*)[^>]*>(.*?)<\/a>/gis, '$2 ($1)')
  .replaceAll(/<\/(?:p|div|tr|li|h[1-6])>|<br\b[^>]*>/gi, '\n')
  .replaceAll(/<[^>]*>/g, '')
  .replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' })[name] ?? '\'')
  .trim();

const attachmentsOf = ({ attachments }: OutboxMessage): string[] =>
  attachments.map(({ name, type, size }) => `${name || '(no name)'} (${type}, ${size} octets)`);

const links = (...pairs: readonly (readonly [title: string, url: string])[]): string =>
  `<nav aria-label="Outbox"><a href="/">Outbox</a>${pairs.map(([title, url]) => `<a href="${url}">${title}</a>`).join('')}</nav>`;

/** One message: its text, never its HTML. */
export const messagePage = (message: OutboxMessage): string => page(titleOf(message), `${
  links(['Source', `${place(message)}/source`], ['As JSON', `${place(message)}.json`], ['Download', `${place(message)}.eml`])}
<main>
<h1>${escaped(titleOf(message))}</h1>
<dl>
<dt>Sent</dt><dd>${time(message.at)} UTC</dd>
${line('From', [message.from])}${line('To', message.to)}${line('Cc', message.cc)}${line('Reply to', message.replyTo)}${
  line('Recipients', message.recipients)}${line('Attachments', attachmentsOf(message))}</dl>
<pre>${escaped(message.text?.trim() ? message.text : plain(message.html ?? ''))}</pre>
</main>`);

/** The message as it left, octet for octet as far as text shows them. */
export const sourcePage = (entry: OutboxEntry, raw: Buffer): string => page(`Source: ${titleOf(entry)}`, `${links(['Message', place(entry)])}
<main>
<h1>Source of ${escaped(titleOf(entry))}</h1>
<pre class="source">${escaped(raw.toString('utf8'))}</pre>
</main>`);

/** A few words about something that was done or can't be. */
export const noticePage = (title: string, text: string): string => page(title, `<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
<p><a href="/">Outbox</a></p>
</main>`);
