import type { TextDecoder as Decoder } from 'node:util';

/** Octets converted to text. */
type DecodedText = {
  readonly text: string;
  /** Whether the charset is unknown, or the octets are not valid in it (RFC 8621 §4.1.4). */
  readonly isEncodingProblem: boolean;
};

/** Charset names that mail programs use and the WHATWG Encoding Standard does not list, without `x-` and separators. */
const aliases: Readonly<Record<string, string>> = {
  iso88598i: 'iso-8859-8', iso88598e: 'iso-8859-8', cp932: 'shift_jis', windows31j: 'shift_jis', mskanji: 'shift_jis', eucjp: 'euc-jp',
  cp51932: 'euc-jp', iso2022jp1: 'iso-2022-jp', iso2022jp2: 'iso-2022-jp', cp50220: 'iso-2022-jp', cp50221: 'iso-2022-jp',
  cp50222: 'iso-2022-jp', cp936: 'gbk', ms936: 'gbk', cp949: 'euc-kr', ms949: 'euc-kr', uhc: 'euc-kr', euckr: 'euc-kr', cp950: 'big5',
  cp874: 'windows-874', tis620: 'windows-874', utf8mb4: 'utf-8', ansi: 'windows-1252', latin9: 'iso-8859-15', ansix341968: 'us-ascii',
  '646': 'us-ascii', ascii: 'us-ascii',
};

/** Charset names that mean ASCII or an unknown charset. The octets may then be 8-bit text in another charset. */
const unlabeledNames = new Set(['', 'us-ascii', 'ascii', 'unknown', 'unknown-8bit', 'x-unknown', 'default', 'binary', '8bit', '7bit']);

const createDecoder = (name: string): Decoder | undefined => {
  try {
    return new TextDecoder(name);
  } catch {
    return undefined;
  }
};

const decoders = new Map<string, Decoder>();

/** Maximum cached decoders. */
const maxDecoders = 500;

/**
 * Finds the decoder for a charset name. Only decoders of existing charsets are cached, so that messages cannot fill the
 * memory.
 */
const findDecoder = (charset: string): Decoder | undefined => {
  const name = charset.toLowerCase();
  const known = decoders.get(name);
  if (known) return known;
  const compact = name.replace(/^x-(?:ms-)?/, '').replaceAll(/[\s._-]/g, '').replace(/^(?:windows|ibm)(?=9\d\d$)/, 'cp');
  const decoder = createDecoder(name) ?? createDecoder(aliases[compact] ?? compact) ?? createDecoder(name.replace(/^x-(?:ms-)?/, ''));
  if (decoder && decoders.size < maxDecoders) decoders.set(name, decoder);
  return decoder;
};

/** Whether text in this charset can be decoded. The names that mean ASCII are known charsets. */
export const isKnownCharset = (charset: string): boolean =>
  unlabeledNames.has(charset.toLowerCase()) || findDecoder(charset) !== undefined;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
/** A decoder that maps each of the 256 octets to a character, so that no octet is lost. */
const windows1252 = new TextDecoder('windows-1252');

/**
 * Decodes octets without a charset, such as raw 8-bit header fields, as UTF-8 if they are valid, else as Windows-1252.
 */
export const decodeUnlabeledText = (octets: Uint8Array): DecodedText => {
  try {
    return { text: strictUtf8.decode(octets), isEncodingProblem: false };
  } catch {
    return { text: windows1252.decode(octets), isEncodingProblem: true };
  }
};

/** Decodes octets in a charset. Uses {@link decodeUnlabeledText} for an unknown charset and for ASCII. Never throws. */
export const decodeText = (octets: Uint8Array, charset: string | undefined): DecodedText => {
  const name = (charset ?? '').trim();
  if (unlabeledNames.has(name.toLowerCase())) return decodeUnlabeledText(octets);
  const decoder = findDecoder(name);
  if (!decoder) return { text: decodeUnlabeledText(octets).text, isEncodingProblem: true };
  const text = decoder.decode(octets);
  return { text, isEncodingProblem: text.includes('\uFFFD') && !isValid(octets, decoder) };
};

/** Whether the octets are valid UTF-8, so that U+FFFD in the text is a character that the sender wrote. */
const isValid = (octets: Uint8Array, decoder: Decoder): boolean => {
  try {
    new TextDecoder(decoder.encoding, { fatal: true }).decode(octets);
    return true;
  } catch {
    return false;
  }
};
