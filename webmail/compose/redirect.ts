import type { EmailAddress, Identity } from '../jmap/types.ts';
import { composeWords as words } from '../words/compose-words.ts';
import { personName } from '../words/words.ts';
import { oneLine } from './header-text.ts';

/** Octets of a message in which its header has to end. */
const maxHeader = 1_000_000;

/**
 * Fields that a redirected message keeps. Others are of the way that it came, or act for the person who redirects it, as the
 * links of List-Unsubscribe do.
 */
const keptFields = new Set(['subject', 'date', 'mime-version', 'in-reply-to', 'importance', 'priority', 'x-priority', 'keywords', 'comments']);

const isKept = (name: string): boolean => keptFields.has(name) || name.startsWith('content-');

/** A field of a header: where its value begins, and where its last line ends. */
type Field = { readonly name: string; readonly start: number; readonly value: number; end: number };

/** The fields of a message, and where its body begins. `octets` has a character for each octet. */
const headerOf = (octets: string): { readonly fields: readonly Field[]; readonly body: number } => {
  const fields: Field[] = [];
  let start = 0;
  while (start < octets.length) {
    const newline = octets.indexOf('\n', start);
    const end = newline === -1 ? octets.length : newline + 1;
    const line = octets.slice(start, end);
    if (/^\r?\n$/.test(line)) return { fields, body: end };
    const name = /^[!-9;-~]{1,200}(?=:)/.exec(line)?.[0];
    const last = fields.at(-1);
    if (/^[ \t]/.test(line) && last) last.end = end;
    else if (name !== undefined) fields.push({ name: name.toLowerCase(), start, value: start + name.length + 1, end });
    // A line that is none of a header is the first one of the body. Before all fields, it is of a mailbox file.
    else if (last) return { fields, body: start };
    start = end;
  }
  return { fields, body: octets.length };
};

/** A name as a header field has it. An encoded word of ten characters fits on a line however long they are (RFC 2047 §2). */
const encodedName = (name: string): string => {
  if (/^[\w .,()@'&+-]{1,60}$/.test(name)) return `"${name}"`;
  const words = name.match(/.{1,10}/gsu) ?? [];
  return words.map((word) => `=?utf-8?B?${btoa(String.fromCharCode(...new TextEncoder().encode(word)))}?=`).join('\r\n ');
};

const addressField = (name: string, addresses: readonly EmailAddress[]): string => {
  const written = addresses.map((address) => {
    const shown = oneLine(address.name ?? '').trim();
    return shown === '' ? `<${address.email}>` : `${encodedName(shown)} <${address.email}>`;
  });
  return `${name}: ${written.join(',\r\n ')}\r\n`;
};

/** The author of a redirected message as its recipients see it: a mail service sends for its own addresses only. */
export const redirectedFrom = (author: EmailAddress | undefined, { name, email }: Pick<Identity, 'name' | 'email'>): EmailAddress => ({
  name: author ? words.via(personName(author), name || email) : name,
  email,
});

export type Redirection = {
  readonly author: EmailAddress | undefined;
  readonly identity: Pick<Identity, 'name' | 'email'>;
  readonly to: readonly EmailAddress[];
  /** Without angle brackets. */
  readonly messageId: string;
  /** Without angle brackets. */
  readonly references: readonly string[];
};

/**
 * Makes the message that is sent on: its body octet for octet, with a header that names the person who redirects it, and with
 * replies that go to its author.
 * @throws Error for a message that has no end of its header.
 */
export const redirectedMessage = async (original: Blob, { author, identity, to, messageId, references }: Redirection): Promise<Blob> => {
  const { fields, body } = headerOf(new TextDecoder('windows-1252').decode(await original.slice(0, maxHeader).arrayBuffer()));
  if (body === maxHeader) throw new Error(words.noHeader);
  const replyTo = fields.find(({ name }) => name === 'reply-to') ?? fields.find(({ name }) => name === 'from');
  const part = (from: number, until: number): (Blob | string)[] => [original.slice(from, until), until === original.size ? '\r\n' : ''];
  return new Blob([
    addressField('From', [redirectedFrom(author, identity)]),
    ...(replyTo ? ['Reply-To:', ...part(replyTo.value, replyTo.end)] : []),
    addressField('To', to),
    `Message-ID: <${messageId}>\r\n`,
    ...(references.length > 0 ? [`References: ${references.map((id) => `<${id}>`).join('\r\n ')}\r\n`] : []),
    ...fields.filter(({ name }) => isKept(name)).flatMap(({ start, end }) => part(start, end)),
    '\r\n',
    original.slice(body),
  ]);
};
