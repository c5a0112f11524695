import singleOctetCharsets from 'iconv-lite/encodings/sbcs-data-generated.js';
import type { BodyPart } from '../parsed-email.ts';
import { trimmed } from '../trim.ts';

/** Octets converted to text. */
type DecodedText = {
  readonly text: string;
  /** Whether the charset is unknown, or the octets are not valid in it (RFC 8621 §4.1.4). */
  readonly isEncodingProblem: boolean;
};

/** Charset names that mail programs use and the WHATWG Encoding Standard does not list, without `x-` and separators. */
const aliases: Readonly<Record<string, string>> = {
  iso88598i: 'iso-8859-8',
  iso88598e: 'iso-8859-8',
  cp932: 'shift_jis',
  windows31j: 'shift_jis',
  mskanji: 'shift_jis',
  eucjp: 'euc-jp',
  cp51932: 'euc-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  cp50222: 'iso-2022-jp',
  cp936: 'gbk',
  ms936: 'gbk',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  uhc: 'euc-kr',
  euckr: 'euc-kr',
  cp950: 'big5',
  cp874: 'windows-874',
  tis620: 'windows-874',
  utf8mb4: 'utf-8',
  ansi: 'windows-1252',
  latin9: 'iso-8859-15',
  ansix341968: 'us-ascii',
  '646': 'us-ascii',
  ascii: 'us-ascii',
};

/** Charset names that mean ASCII or an unknown charset. The octets may then be 8-bit text in another charset. */
const unlabeledNames = new Set(['', 'us-ascii', 'ascii', 'unknown', 'unknown-8bit', 'x-unknown', 'default', 'binary', '8bit', '7bit']);

/** Converts octets of one charset to text. Octets that are not valid in it become U+FFFD. */
type CharsetDecoder = { readonly decode: (octets: Uint8Array) => string; readonly isValid: (octets: Uint8Array) => boolean };

/** A decoder of the WHATWG Encoding Standard, which Node.js has. */
const webDecoder = (name: string): CharsetDecoder | undefined => {
  try {
    const decoder = new TextDecoder(name);
    const strict = new TextDecoder(name, { fatal: true });
    const isValid = (octets: Uint8Array): boolean => {
      try {
        strict.decode(octets);
        return true;
      } catch {
        return false;
      }
    };
    return { decode: (octets) => decoder.decode(octets), isValid };
  } catch {
    return undefined;
  }
};

/** A decoder of a charset with one octet a character, such as the code pages of DOS. */
const singleOctetDecoder = (name: string): CharsetDecoder | undefined => {
  const named = Object.hasOwn(singleOctetCharsets, name) ? singleOctetCharsets[name]! : undefined;
  const table = typeof named === 'string' ? singleOctetCharsets[named] : named;
  if (table === undefined || typeof table === 'string') return undefined;
  const characters = table.chars;
  // Most tables have the octets from 128 on, some have all.
  const first = 256 - characters.length;
  const decode = (octets: Uint8Array): string => {
    let text = '';
    for (const octet of octets) text += octet < first ? String.fromCharCode(octet) : characters[octet - first]!;
    return text;
  };
  return { decode, isValid: (octets) => !decode(octets).includes('\uFFFD') };
};

/** UTF-7 (RFC 2152): `+` begins UTF-16 in base64, which ends at `-` or at any other character. */
const utf7Decoder: CharsetDecoder = {
  decode: (octets) =>
    Buffer.from(octets)
      .toString('latin1')
      .replaceAll(/\+([A-Za-z0-9+/]*)-?/g, (whole, encoded: string) => {
        if (encoded === '') return whole === '+-' ? '+' : whole;
        const units = Buffer.from(encoded, 'base64');
        if (units.length < 2) return whole;
        return units
          .subarray(0, units.length - (units.length % 2))
          .swap16()
          .toString('utf16le')
          .toWellFormed();
      }),
  isValid: (octets) => octets.every((octet) => octet < 128),
};

const koreanDecoder = webDecoder('euc-kr')!;
const [escape, shiftOut, shiftIn] = [0x1b, 0x0e, 0x0f];

/** ISO-2022-KR (RFC 1557) as EUC-KR: the characters between SO and SI get the high bit. */
const eucKrOf = (octets: Uint8Array): Buffer => {
  const converted = Buffer.allocUnsafe(octets.length);
  let [length, high] = [0, 0];
  for (let index = 0; index < octets.length; index += 1) {
    const octet = octets[index]!;
    if (octet === shiftOut || octet === shiftIn) high = octet === shiftOut ? 0x80 : 0;
    // The line `ESC $ ) C` says that the text is Korean.
    else if (octet === escape && octets[index + 1] === 0x24) index += 3;
    else converted[length++] = octet > 0x20 ? octet | high : octet;
  }
  return converted.subarray(0, length);
};
const iso2022KrDecoder: CharsetDecoder = {
  decode: (octets) => koreanDecoder.decode(eucKrOf(octets)),
  isValid: (octets) => koreanDecoder.isValid(eucKrOf(octets)),
};

/** Characters of a charset name that are read. A sender may write a megabyte of them. */
const maxNameLength = 100;

/** A charset name in lower case, without quotes and without what a program left around it. */
const cleanName = (charset: string): string => trimmed(charset.slice(0, maxNameLength).toLowerCase(), /[\s'"_]/, /[\s'"]/);

/** A decoder for a name that Node.js does not know. */
const createOwnDecoder = (name: string): CharsetDecoder | undefined => {
  const compact = name
    .replace(/^x-(?:ms-)?/, '')
    .replaceAll(/[\s._-]/g, '')
    .replace(/^(?:windows|ibm)(?=9\d\d$)/, 'cp');
  if (/^(?:cs)?(?:unicode11)?utf7(?:imap)?$/.test(compact)) return utf7Decoder;
  if (/^(?:cs)?iso2022kr/.test(compact)) return iso2022KrDecoder;
  if (/^(?:cs)?iso2022jp|^jis7$/.test(compact)) return webDecoder('iso-2022-jp');
  return webDecoder(aliases[compact] ?? compact) ?? webDecoder(name.replace(/^x-(?:ms-)?/, '')) ?? singleOctetDecoder(compact);
};

const decoders = new Map<string, CharsetDecoder>();

/** Maximum cached decoders. */
const maxDecoders = 500;

/**
 * Finds the decoder for a charset name. Only decoders of existing charsets are cached, so that messages cannot fill the
 * memory.
 */
const findDecoder = (charset: string): CharsetDecoder | undefined => {
  const name = cleanName(charset);
  const known = decoders.get(name);
  if (known) return known;
  const decoder = webDecoder(name) ?? createOwnDecoder(name);
  if (decoder && decoders.size < maxDecoders) decoders.set(name, decoder);
  return decoder;
};

/** Whether text in this charset can be decoded. The names that mean ASCII are known charsets. */
export const isKnownCharset = (charset: string): boolean => unlabeledNames.has(cleanName(charset)) || findDecoder(charset) !== undefined;

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

/** Octets of HTML in which its charset is searched. Browsers read 1024 (HTML Living Standard §13.2.3.2); mail has style sheets before it. */
const sniffedOctets = 4096;
const namedCharset = /<(?:meta\b[^<>]{0,300}?\bcharset|\?xml\b[^<>]{0,300}?\bencoding)\s{0,20}=\s{0,20}["']?\s{0,20}([\w.:-]{1,40})/i;

const markup = /^text\/(?:html|x-amp-html|xml)$/;

/** The charset that HTML names itself, in a `meta` element or an XML declaration. Undefined for one that is unknown. */
const charsetInHtml = (octets: Uint8Array): string | undefined => {
  const [, charset = ''] = namedCharset.exec(Buffer.from(octets.subarray(0, sniffedOctets)).toString('latin1')) ?? [];
  // HTML that can be read so far is not in UTF-16 (HTML Living Standard §13.2.3.2).
  return !/^utf-?(?:16|32)/i.test(charset) && findDecoder(charset) ? charset : undefined;
};

/**
 * Decodes the octets of a part with text. When its header names no charset, UTF-16 is known by its byte order mark, and
 * HTML that is not UTF-8 is read in the charset that it names itself.
 */
export const decodePartText = (octets: Uint8Array, { type, charset }: Pick<BodyPart, 'type' | 'charset'>): DecodedText => {
  if (!unlabeledNames.has(cleanName(charset ?? ''))) return decodeText(octets, charset);
  if (octets[0] === 0xff && octets[1] === 0xfe) return decodeText(octets, 'utf-16le');
  if (octets[0] === 0xfe && octets[1] === 0xff) return decodeText(octets, 'utf-16be');
  const unlabeled = decodeUnlabeledText(octets);
  const isAscii = unlabeled.text.length === octets.length;
  const named = markup.test(type) && (unlabeled.isEncodingProblem || isAscii) ? charsetInHtml(octets) : undefined;
  return named === undefined ? unlabeled : decodeText(octets, named);
};

/** Decodes octets in a charset. Uses {@link decodeUnlabeledText} for an unknown charset and for ASCII. Never throws. */
export const decodeText = (octets: Uint8Array, charset: string | undefined): DecodedText => {
  const name = cleanName(charset ?? '');
  if (unlabeledNames.has(name)) return decodeUnlabeledText(octets);
  const decoder = findDecoder(name);
  if (!decoder) return { text: decodeUnlabeledText(octets).text, isEncodingProblem: true };
  const text = decoder.decode(octets);
  // U+FFFD may be a character that the sender wrote.
  return { text, isEncodingProblem: text.includes('\uFFFD') && !decoder.isValid(octets) };
};
