import type { EmailBody } from '../jmap/types.ts';

/** A message that asks to unsubscribe (RFC 6068). */
export type UnsubscribeMail = { readonly to: string; readonly subject: string; readonly text: string };

/** How a message says that its recipient can unsubscribe (RFC 2369 §3.2). */
export type UnsubscribeWays = {
  /** The URL that takes a request without a page (RFC 8058). */
  readonly oneClick?: URL;
  readonly mail?: UnsubscribeMail;
  /** The URL of a page that a person opens. */
  readonly link?: URL;
};

/** Maximum characters of what a message says. Longer ones are no way. */
const maximum = { url: 4000, results: 2000, signature: 4000, subject: 500, text: 1000 } as const;
/** Maximum URLs and signatures that are looked at. */
const maxFields = 10;

/** Top-level domains of names that are no public hosts (RFC 6761, RFC 6762, RFC 8375, RFC 9476, and those that networks took). */
const privateTlds = new Set(
  'alt arpa corp domain example home host internal intranet invalid lan local localdomain localhost mail onion private test workgroup'.split(' '),
);

/** Whether a host has a public name. Addresses and names of the person's own network are none. */
const isPublic = (host: string): boolean => {
  const labels = host.split('.');
  const tld = labels.at(-1)!;
  return labels.length > 1 && labels.every((label) => /^[a-z0-9-]{1,63}$/.test(label)) && /^[a-z]/.test(tld) && !privateTlds.has(tld);
};

const publicUrl = (text: string): URL | undefined => {
  const url = text.length <= maximum.url ? URL.parse(text) : null;
  return url?.protocol === 'https:' && url.username + url.password + url.port === '' && isPublic(url.hostname) ? url : undefined;
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Controls, and characters that turn the direction of text, so that a person would not read what is sent. */
const hidden = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The first address of a `mailto:` URL, with its subject and its text. Its other fields are ignored. */
const mailOf = (url: string): UnsubscribeMail | undefined => {
  if (url.length > maximum.url || !/^mailto:/i.test(url)) return undefined;
  const [path = '', query = ''] = url.slice('mailto:'.length).split('#', 1)[0]!.split('?');
  const fields = new Map(
    query.split('&').map((field) => {
      const [name = '', ...value] = field.split('=');
      return [name.toLowerCase(), decoded(value.join('='))];
    }),
  );
  const to = decoded(path.split(',', 1)[0]!);
  const subject = fields.has('subject') ? fields.get('subject') : 'unsubscribe';
  const text = fields.has('body') ? fields.get('body')?.replaceAll('\r\n', '\n') : '';
  if (to === undefined || subject === undefined || text === undefined) return undefined;
  if (subject.length > maximum.subject || text.length > maximum.text || hidden.test(subject) || hidden.test(text.replaceAll('\n', ''))) return undefined;
  return /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,20}$/u.test(to) ? { to, subject, text } : undefined;
};

/** The value of a tag of a DKIM signature (RFC 6376 §3.2), without white space. */
const tagOf = (signature: string, name: string): string | undefined => {
  const tag = signature.split(';').find((each) => each.split('=', 1)[0]!.trim() === name);
  return tag
    ?.slice(tag.indexOf('=') + 1)
    .split(/\s/)
    .join('')
    .toLowerCase();
};

/**
 * Whether the receiving server found a valid DKIM signature that covers the fields to unsubscribe (RFC 8058 §4, RFC 8601).
 * The results do not say which signature of a domain is valid, so all of them have to cover the fields.
 */
const isSigned = (body: EmailBody): boolean => {
  const results = (body['header:Authentication-Results:asText:all']?.[0] ?? '').slice(0, maximum.results).toLowerCase();
  if (/\bdmarc=fail\b/.test(results)) return false;
  const signatures = body['header:DKIM-Signature:asText:all'] ?? [];
  if (signatures.length > maxFields || signatures.some(({ length }) => length > maximum.signature)) return false;
  return results.split(';').some((result) => {
    if (!/^\s{0,10}dkim=pass\s/.test(result)) return false;
    const signer = /\sheader\.[di]=(?:[^\s@]{0,64}@)?([a-z0-9.-]{1,253})/.exec(result)?.[1];
    const own = signatures.filter((signature) => [tagOf(signature, 'd'), tagOf(signature, 'i')?.split('@')[1]].includes(signer));
    const covers = (signature: string): boolean => {
      const covered = tagOf(signature, 'h')?.split(':') ?? [];
      return covered.includes('list-unsubscribe') && covered.includes('list-unsubscribe-post');
    };
    return signer !== undefined && own.length > 0 && own.every(covers);
  });
};

/**
 * The ways to unsubscribe that a message offers and that are safe. The field that is read is the last one of its name, which
 * a signature covers first (RFC 6376 §5.4.2, RFC 8621 §4.1.3).
 */
export const unsubscribeWays = (body: EmailBody): UnsubscribeWays => {
  const urls = (body['header:List-Unsubscribe:asURLs'] ?? []).slice(0, maxFields);
  const url = urls.map(publicUrl).find((each) => each !== undefined);
  const mail = urls.map(mailOf).find((each) => each !== undefined);
  const isOneClick = body['header:List-Unsubscribe-Post:asText'] === 'List-Unsubscribe=One-Click' && isSigned(body);
  return { ...(url && (isOneClick ? { oneClick: url } : { link: url })), ...(mail && { mail }) };
};
