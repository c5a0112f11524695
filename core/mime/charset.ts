import type { TextDecoder as Decoder } from 'node:util';

/** Text from octets in whatever charset, or none that anybody knows. Never throws. */
export type DecodedText = { readonly text: string; /** The charset is unknown, or the octets are not of it. */ readonly isProblem: boolean };

/** Names that mail uses and the Encoding Standard does not list, without `x-` and separators. */
const otherNames: Readonly<Record<string, string>> = {
  iso88598i: 'iso-8859-8', iso88598e: 'iso-8859-8', cp932: 'shift_jis', windows31j: 'shift_jis', mskanji: 'shift_jis', eucjp: 'euc-jp', cp51932: 'euc-jp',
  iso2022jp1: 'iso-2022-jp', iso2022jp2: 'iso-2022-jp', cp50220: 'iso-2022-jp', cp50221: 'iso-2022-jp', cp50222: 'iso-2022-jp',
  cp936: 'gbk', ms936: 'gbk', cp949: 'euc-kr', ms949: 'euc-kr', uhc: 'euc-kr', euckr: 'euc-kr', cp950: 'big5', cp874: 'windows-874', tis620: 'windows-874',
  utf8mb4: 'utf-8', ansi: 'windows-1252', latin9: 'iso-8859-15', ansix341968: 'us-ascii', '646': 'us-ascii', ascii: 'us-ascii',
};

/** Names that promise ASCII, or nothing at all. */
const plainNames = new Set(['', 'us-ascii', 'ascii', 'unknown', 'unknown-8bit', 'x-unknown', 'default', 'binary', '8bit', '7bit']);

const decoderOf = (name: string): Decoder | undefined => {
  try {
    return new TextDecoder(name);
  } catch {
    return undefined;
  }
};

const decoders = new Map<string, Decoder>();

/** A decoder for a charset's name in any of its spellings. Only names that exist are remembered: a message can't fill the memory. */
const findDecoder = (charset: string): Decoder | undefined => {
  const name = charset.toLowerCase();
  const known = decoders.get(name);
  if (known) return known;
  const compact = name.replace(/^x-(?:ms-)?/, '').replaceAll(/[\s._-]/g, '').replace(/^(?:windows|ibm)(?=9\d\d$)/, 'cp');
  const decoder = decoderOf(name) ?? decoderOf(otherNames[compact] ?? compact) ?? decoderOf(name.replace(/^x-(?:ms-)?/, ''));
  if (decoder && decoders.size < 500) decoders.set(name, decoder);
  return decoder;
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
/** Gives each of the 256 octets a character: nothing is lost. */
const everyOctet = new TextDecoder('windows-1252');

/** UTF-8 if it is that, else Windows-1252: for octets that say nothing about themselves, such as raw 8-bit header fields. */
export const decodeUnlabeledText = (octets: Uint8Array): DecodedText => {
  try {
    return { text: strictUtf8.decode(octets), isProblem: false };
  } catch {
    return { text: everyOctet.decode(octets), isProblem: true };
  }
};

/** The octets as text of that charset; by {@link decodeUnlabeledText} when it is none that we know, or promises ASCII. */
export const decodeText = (octets: Uint8Array, charset: string | undefined): DecodedText => {
  const name = (charset ?? '').trim();
  if (plainNames.has(name.toLowerCase())) return decodeUnlabeledText(octets);
  const decoder = findDecoder(name);
  if (!decoder) return { text: decodeUnlabeledText(octets).text, isProblem: true };
  const text = decoder.decode(octets);
  return { text, isProblem: text.includes('\uFFFD') && !isReplacementItself(octets, decoder) };
};

/** U+FFFD may also be what the sender wrote. */
const isReplacementItself = (octets: Uint8Array, decoder: Decoder): boolean => {
  try {
    new TextDecoder(decoder.encoding, { fatal: true }).decode(octets);
    return true;
  } catch {
    return false;
  }
};

const encoder = new TextEncoder();

/** The text cut to so many octets of UTF-8, never within a character. */
export const cutToOctets = (text: string, octets: number): string => {
  if (text.length * 3 <= octets) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.min(octets, text.length * 3)));
  return read === text.length ? text : text.slice(0, read);
};

/** Octets that the text takes in a record, written in whatever way: those of JSON, which are the most. */
export const storedOctets = (text: string): number => Buffer.byteLength(JSON.stringify(text), 'utf8');
