import { isKeyword } from '../../contract/jmap/data-type.ts';

/** JMAP keywords for IMAP's system flags, and for keywords that programs spell differently (RFC 8621 §4.1.1). */
const knownKeywords: { readonly [name: string]: string } = {
  '\\seen': '$seen',
  '\\answered': '$answered',
  '\\flagged': '$flagged',
  '\\draft': '$draft',
  forwarded: '$forwarded',
  junk: '$junk',
  nonjunk: '$notjunk',
  notjunk: '$notjunk',
  $nonjunk: '$notjunk',
  mdnsent: '$mdnsent',
};

const maxKeywordLength = 255;

/**
 * The JMAP keyword of an IMAP flag or keyword. Characters that a keyword cannot have become `_`. Undefined for flags
 * without a keyword: `\Deleted` and `\Recent`.
 */
const keywordOf = (flag: string): string | undefined => {
  const name = flag.trim().toLowerCase();
  if (Object.hasOwn(knownKeywords, name)) return knownKeywords[name];
  if (name === '' || name.startsWith('\\')) return undefined;
  return name.replaceAll(/[^\x21-\x7e]|[(){\]%*"\\]/gu, '_').slice(0, maxKeywordLength);
};

/** The JMAP keywords for IMAP flags and keywords, without duplicates. */
export const keywordsOf = (flags: Iterable<string>): string[] => [...new Set([...flags].flatMap((flag) => keywordOf(flag) ?? []))];

/** Keywords as the account takes them. One that is none is read like that of a mail program. */
export const validKeywords = (keywords: Iterable<string>): string[] => [
  ...new Set([...keywords].flatMap((keyword) => (isKeyword(keyword) ? keyword.toLowerCase() : keywordsOf([keyword])))),
];
