import { parseDomainName } from '../../contract/values/mail-address.ts';
import type { EmailAddress } from '../jmap/types.ts';
import { addressPieces, type Piece, type Separator } from './address-pieces.ts';

/** An address that was read. One that is not valid has the text as it was written in `email`. */
export type ReadAddress = EmailAddress & { readonly isValid: boolean };

/** The addresses of a text up to its last separator, and the text after that, which may be the beginning of another one. */
export type ReadAddresses = { readonly addresses: readonly ReadAddress[]; readonly rest: string };

/** Maximum characters of a local part and of an address (RFC 5321 §4.5.3.1). */
const [maxLocalPart, maxAddress] = [64, 254];

const atom = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]{1,64}$/u;
const quotedLocalPart = /^"(?:[^"\\]|\\[^]){0,64}"$/;
const invisible = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Characters without a shape that come with copied text, and that turn its direction. */
const shapeless = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Names in a row that belong to one address: `Last, First, Title <address>`. */
const maxNames = 3;

const isLocalPart = (text: string): boolean => quotedLocalPart.test(text) || text.split('.').every((each) => atom.test(each) && !/\p{Z}/u.test(each));

/** Whether mail can go to an address (RFC 5321 §4.1.2), also with letters beyond ASCII (RFC 6531). */
export const isValidAddress = (email: string): boolean => {
  const at = email.lastIndexOf('@');
  if (at < 1 || at > maxLocalPart || email.length > maxAddress || invisible.test(email)) return false;
  return isLocalPart(email.slice(0, at)) && parseDomainName(email.slice(at + 1)) !== undefined;
};

const tidy = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();

const withoutScheme = (text: string): string => (/^mailto:$/i.test(text.slice(0, 7)) ? text.slice(7) : text);

const wrong = (text: string): ReadAddress => ({ name: null, email: tidy(text), isValid: false });

/** A valid address with its name, unless the name only repeats it. */
const valid = (email: string, name: string): ReadAddress => {
  const shown = tidy(name);
  const isRepeated = shown.replaceAll("'", '').toLowerCase() === email.replaceAll("'", '').toLowerCase();
  return { name: shown === '' || isRepeated ? null : shown, email, isValid: true };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The addresses of a `mailto:` URL to which it sends (RFC 6068): not those of its Cc and Bcc, which nobody sees. */
const ofUrl = (url: string): readonly ReadAddress[] => {
  const [path = '', ...query] = withoutScheme(url).split('?');
  const more = query
    .join('?')
    .split('&')
    .flatMap((field) => (/^to=$/i.test(field.slice(0, 3)) ? [field.slice(3)] : []));
  const parts = [path, ...more].flatMap((list) => list.split(/[,;]/)).map((part) => decoded(withoutScheme(part)).trim());
  return parts.filter((part) => part !== '').map((part) => (isValidAddress(part) ? valid(part, '') : wrong(part)));
};

/** The words of a piece without the name of a group. */
const personWords = ({ words, bare, afterGroup }: Piece): string =>
  afterGroup && !/^[^\s"]/.test(bare.slice(afterGroup.bare)) ? words.slice(afterGroup.words) : words;

/** The addresses of a piece. Undefined for one that may be a part of a name. */
const addressesOf = (piece: Piece, source: string, names: string): readonly ReadAddress[] | undefined => {
  const { bare, comment, angle, isUrl, afterGroup } = piece;
  if (isUrl) return ofUrl(bare);
  if (angle !== undefined) {
    const email = withoutScheme(angle.trim());
    return [isValidAddress(email) ? valid(email, tidy(names + personWords(piece)) || comment) : wrong(source)];
  }
  for (const from of [0, afterGroup?.bare ?? 0]) {
    const email = bare.slice(from).trim();
    if (isValidAddress(email)) return [valid(email, names || comment)];
    const several = email.split(/\s/).filter((each) => each !== '');
    if (several.length > 1 && several.every(isValidAddress)) return several.map((each) => valid(each, ''));
  }
  return bare.includes('@') ? [wrong(source)] : undefined;
};

/** Whether the pieces before an address are its name, and what stands between them. */
const joint = (pending: readonly Piece[], { angle, words, isUrl }: Piece): string | undefined => {
  const [first] = pending;
  if (!first || isUrl || pending.length >= maxNames || pending.some(({ separator }) => separator !== first.separator)) return undefined;
  if (first.separator === 'comma') return angle === undefined ? undefined : ', ';
  if (first.separator === 'fold') return angle === undefined ? undefined : ' ';
  return angle === undefined || words.trim() === '' ? ' ' : undefined;
};

/** The names before an address, with what stands between them and its own. */
const namesOf = (pending: readonly Piece[], between: string): string => pending.map((piece) => tidy(personWords(piece)) + between).join('');

const isEmptyGroup = ({ bare, angle, afterGroup, separator }: Piece): boolean =>
  afterGroup !== undefined && angle === undefined && separator === 'semicolon' && bare.slice(afterGroup.bare).trim() === '';

const mayGoOn = (separator: Separator | undefined): boolean => separator === 'comma' || separator === 'tab' || separator === 'fold';

/**
 * Reads the addresses that a person types or pastes: as mail has them (RFC 5322 §3.4), as Outlook and tables write them, and
 * as URLs. Nothing of the text is lost: what is no address is one that is not valid.
 */
export const readAddresses = (given: string): ReadAddresses => {
  const text = given.replaceAll(shapeless, '').replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n');
  const addresses: ReadAddress[] = [];
  let pending: Piece[] = [];
  const giveUp = (): void => {
    addresses.push(...pending.map(({ start, end }) => wrong(text.slice(start, end))));
    pending = [];
  };
  for (const piece of addressPieces(text)) {
    const { separator, start } = piece;
    const source = text.slice(start, piece.end);
    if (separator === undefined) return { addresses, rest: text.slice(pending[0]?.start ?? start).trimStart() };
    if (tidy(source) !== '' && !isEmptyGroup(piece)) {
      const between = joint(pending, piece);
      const found = addressesOf(piece, source, between === undefined ? '' : namesOf(pending, between));
      const isNamed = between !== undefined && found?.[0]?.isValid === true;
      if (isNamed) pending = [];
      else if (found || pending.length >= maxNames) giveUp();
      if (!found) pending.push(piece);
      // Not as arguments, of which there may be too many.
      for (const each of found ?? []) addresses.push(each);
    }
    if (!mayGoOn(separator)) giveUp();
  }
  return { addresses, rest: '' };
};

/** Reads a text to its end: all that is in it is an address, or one that is not valid. */
export const readAllAddresses = (text: string): readonly ReadAddress[] => readAddresses(`${text}\n`).addresses;

/** An address as text that {@link readAddresses} reads again. */
export const formatAddress = ({ name, email }: EmailAddress): string => {
  const shown = tidy(name ?? '');
  if (shown === '') return email;
  return `${/[()<>[\]:;@\\,"]/.test(shown) ? `"${shown.replaceAll(/["\\]/g, String.raw`\$&`)}"` : shown} <${email}>`;
};

/** Addresses with others that are put among them, each once. */
export const withAdded = (addresses: readonly EmailAddress[], added: readonly EmailAddress[], at = addresses.length): readonly EmailAddress[] => {
  const known = new Set(addresses.map(({ email }) => email.toLowerCase()));
  const fresh: EmailAddress[] = [];
  for (const { name, email } of added) {
    if (!known.has(email.toLowerCase())) fresh.push({ name, email });
    known.add(email.toLowerCase());
  }
  return [...addresses.slice(0, at), ...fresh, ...addresses.slice(at)];
};
