import { parseDomainName, parseEmailAddress } from './mail-address.ts';

/** A search term for messages, by its possible meanings. An `id` is that of a record, or SES's id of a message. */
export type SearchTerm =
  | { readonly kind: 'none' }
  | { readonly kind: 'id'; readonly id: string }
  /** A domain after an @. */
  | { readonly kind: 'domain'; readonly domain: string }
  | { readonly kind: 'messageId'; readonly id: string }
  /** It may be a Message-ID too. */
  | { readonly kind: 'address'; readonly address: string };

/** SES's Message-IDs look like addresses; some are addresses of its mailbox simulator. */
const isOfSes = (address: string): boolean => address.endsWith('.amazonses.com') && !address.endsWith('@simulator.amazonses.com');

/** Parses a typed or pasted text, which may be a header field or an address with a name. */
export const searchTerm = (typed: string): SearchTerm => {
  const text = typed.trim().replace(/^message-id:\s*/i, '');
  if (text === '') return { kind: 'none' };
  if (!/[@<>]/.test(text)) return { kind: 'id', id: text };
  const domain = text.startsWith('@') ? parseDomainName(text.slice(1)) : undefined;
  if (domain !== undefined) return { kind: 'domain', domain };
  const named = /^[^<>]+<([^<>]*)>$/.exec(text)?.[1];
  const address = parseEmailAddress((named ?? text).replace(/^mailto:/i, ''));
  return address === undefined || isOfSes(address) ? { kind: 'messageId', id: text } : { kind: 'address', address };
};
