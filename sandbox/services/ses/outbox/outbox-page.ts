import { createHash } from 'node:crypto';
import type { OutboxMessage } from './outbox-message.ts';
import type { OutboxEntry } from './outbox.ts';

const style = `
:root { color-scheme: light dark; --line: #8884; --dim: #767676; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --dim: #a0a0a0; --link: #8ab4f8 } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
h1 { font-size: 1.4rem; overflow-wrap: anywhere }
a { color: var(--link) }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
th { font-weight: 600 }
thead th, dt, footer { color: var(--dim); font-weight: 500 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem }
dd { margin: 0; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; font: inherit }
pre.source { font: .85rem/1.5 ui-monospace, monospace }
button { font: inherit; padding: .3rem .9rem }
nav { display: flex; gap: 1.25rem; align-items: center; flex-wrap: wrap }
`;

/** Allows a page of the outbox only its own styles and its own form. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Escapes text for HTML content and attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;

const titleOf = ({ subject }: OutboxEntry): string => subject.trim() || '(no subject)';
const time = (at: string): string => `<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(0, 19).replace('T', ' '))}</time>`;
const messagePath = ({ id }: OutboxEntry): string => `/messages/${encodeURIComponent(id)}`;

const row = (entry: OutboxEntry): string => `<tr>
<td>${time(entry.at)}</td>
<td>${escapeHtml(entry.from)}</td>
<td>${escapeHtml(entry.recipients.join(', '))}</td>
<td><a href="${messagePath(entry)}">${escapeHtml(titleOf(entry))}</a></td>
</tr>`;

/** Maximum messages on the page. messages.json lists all. */
const listLimit = 200;

const table = (entries: readonly OutboxEntry[]): string => `<table>
<thead><tr><th scope="col">Sent (UTC)</th><th scope="col">From</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead>
<tbody>
${entries.slice(0, listLimit).map(row).join('\n')}
</tbody>
</table>`;

const clearForm = '<form method="post" action="/clear"><button type="submit">Empty the outbox</button></form>';

const countText = (count: number): string => (count === 0 ? 'It is empty.' : `${count} ${count === 1 ? 'message' : 'messages'}.`);

/** The page that lists the outbox, newest first. */
export const listPage = (entries: readonly OutboxEntry[]): string =>
  page(
    'Outbox',
    `<main>
<h1>Outbox</h1>
<p>Mail to addresses outside this sandbox is stored here. ${countText(entries.length)}</p>
${entries.length === 0 ? '' : table(entries)}
<footer><nav aria-label="Outbox"><a href="/messages.json">As JSON</a>${entries.length === 0 ? '' : clearForm}</nav></footer>
</main>`,
  );

const detailRow = (name: string, values: readonly string[]): string =>
  values.length === 0 ? '' : `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(values.join(', '))}</dd>\n`;

/** Maximum characters of HTML that are converted to text. */
const htmlToTextLimit = 50_000;

/** Converts HTML to plain text. Links keep their URL, which is needed in a verification mail. */
const htmlToText = (html: string): string =>
  html
    .slice(0, htmlToTextLimit)
    .replaceAll(/<(style|script|head)\b[^>]*>.*?<\/\1>/gis, '')
    .replaceAll(/<a\b[^>]*\bhref=["']?([^"'\s>]*)[^>]*>(.*?)<\/a>/gis, '$2 ($1)')
    .replaceAll(/<\/(?:p|div|tr|li|h[1-6])>|<br\b[^>]*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' })[name] ?? "'")
    .trim();

const attachmentsOf = ({ attachments }: OutboxMessage): string[] =>
  attachments.map(({ name, type, size }) => `${name || '(no name)'} (${type}, ${size} octets)`);

const navigation = (...pairs: readonly (readonly [title: string, url: string])[]): string =>
  `<nav aria-label="Outbox"><a href="/">Outbox</a>${pairs.map(([title, url]) => `<a href="${url}">${title}</a>`).join('')}</nav>`;

/** The page of one message. It shows the text, never the HTML. */
export const messagePage = (message: OutboxMessage): string =>
  page(
    titleOf(message),
    `${navigation(['Source', `${messagePath(message)}/source`], ['As JSON', `${messagePath(message)}.json`], ['Download', `${messagePath(message)}.eml`])}
<main>
<h1>${escapeHtml(titleOf(message))}</h1>
<dl>
<dt>Sent</dt><dd>${time(message.at)} UTC</dd>
${detailRow('From', [message.from])}${detailRow('To', message.to)}${detailRow('Cc', message.cc)}${detailRow('Reply to', message.replyTo)}${detailRow(
      'Recipients',
      message.recipients,
    )}${detailRow('Attachments', attachmentsOf(message))}</dl>
<pre>${escapeHtml(message.text?.trim() ? message.text : htmlToText(message.html ?? ''))}</pre>
</main>`,
  );

/** The page with the raw message, decoded as UTF-8. */
export const sourcePage = (entry: OutboxEntry, raw: Buffer): string =>
  page(
    `Source: ${titleOf(entry)}`,
    `${navigation(['Message', messagePath(entry)])}
<main>
<h1>Source of ${escapeHtml(titleOf(entry))}</h1>
<pre class="source">${escapeHtml(raw.toString('utf8'))}</pre>
</main>`,
  );

/** A page with a short notice. */
export const noticePage = (title: string, text: string): string =>
  page(
    title,
    `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<p><a href="/">Outbox</a></p>
</main>`,
  );
