import { parseAddressList, type EmailAddressGroup } from './address-list.ts';
import { parseDateTime, type ParsedDateTime } from './date.ts';
import { decodeUnlabeledText } from './encoding/charset.ts';
import { decodeEncodedWords, decodeWordsInName } from './encoding/encoded-words.ts';
import type { HeaderField } from './header-fields.ts';
import { parseLimits } from './parse-limits.ts';
import type { EmailAddress } from './parsed-email.ts';

/** The forms of a header field (RFC 8621 §4.1.2). Each accepts any octets, and returns null where the RFC says so. */

/** The Raw form (RFC 8621 §4.1.2.1): the octets decoded as UTF-8, with U+FFFD for invalid ones and without NUL. */
export const asRaw = (field: HeaderField): string => field.value.toString('utf8').replaceAll('\0', '');

/**
 * The value on one line, without NUL and leading blanks. Raw 8-bit octets are read as UTF-8, or else as Windows-1252.
 */
const unfolded = (field: HeaderField): string =>
  decodeUnlabeledText(field.value.subarray(0, parseLimits.fieldValue))
    .text.replaceAll('\0', '')
    .replaceAll(/\r?\n(?=[ \t])/g, '')
    .replaceAll(/[\r\n]/g, ' ')
    .replace(/^[ \t]+/, '');

/**
 * The Text form (RFC 8621 §4.1.2.2): unfolded, with encoded words (RFC 2047) decoded, in Unicode normalization form C.
 */
export const asText = (field: HeaderField): string => decodeEncodedWords(unfolded(field)).normalize('NFC');

/** Fields that name the author. Programs that check the author do not decode an address, so neither is it decoded here. */
const authorFields = /^(?:resent-)?(?:from|sender)$/i;

/** The groups in the octets of the field up to a limit, without an address that the limit cuts. */
const groupsWithin = ({ name, value }: HeaderField, octets: number): readonly EmailAddressGroup[] =>
  parseAddressList(unfolded({ name, value: value.subarray(0, octets) }), value.length > octets, !authorFields.test(name));

/** The addresses in the octets of the field up to a limit, without an address that the limit cuts. */
export const addressesWithin = (field: HeaderField, octets: number): readonly EmailAddress[] =>
  groupsWithin(field, octets).flatMap(({ addresses }) => addresses);

/**
 * The GroupedAddresses form (RFC 8621 §4.1.2.4): the groups, and the addresses between them as groups without a name.
 */
export const asGroupedAddresses = (field: HeaderField): readonly EmailAddressGroup[] => groupsWithin(field, parseLimits.fieldValue);

/** The Addresses form (RFC 8621 §4.1.2.3): all addresses, including those of groups. */
export const asAddresses = (field: HeaderField): readonly EmailAddress[] => addressesWithin(field, parseLimits.fieldValue);

/** The position of the parenthesis that ends the comment at `start` or begins another one in it; else the end of the text. */
const commentLimit = (value: string, start: number): number => {
  let position = start + 1;
  while (position < value.length && value[position] !== '(' && value[position] !== ')') position += value[position] === '\\' ? 2 : 1;
  return Math.min(position, value.length);
};

/** The texts of a list: those in angle brackets, and those between them. */
type Listed = { readonly bracketed: readonly string[]; readonly all: readonly string[]; readonly bare: readonly string[] };

/** Reads a list of texts in angle brackets, whose ends may be missing. Comments are skipped. Each character is read at most three times. */
const readList = (value: string): Listed => {
  const [bracketed, all, bare]: [string[], string[], string[]] = [[], [], []];
  /** The end of the last comment that is not closed. Escaped parentheses within it begin no comment that is closed. */
  let unclosed = 0;
  let bareStart = 0;
  const endBare = (end: number): void => {
    for (const text of value.slice(bareStart, end).split(/[\s,;>]+/)) {
      if (text === '') continue;
      bare.push(text);
      all.push(text);
    }
  };
  for (let position = 0; position < value.length; position += 1) {
    if (value[position] === '(' && position >= unclosed) {
      const limit = commentLimit(value, position);
      if (value[limit] !== ')') unclosed = limit;
      else {
        endBare(position);
        position = limit;
        bareStart = position + 1;
      }
    } else if (value[position] === '<') {
      endBare(position);
      const start = position + 1;
      while (position + 1 < value.length && value[position + 1] !== '<' && value[position + 1] !== '>') position += 1;
      const isClosed = value[position + 1] === '>';
      const inner = value.slice(start, position + 1);
      const text = isClosed ? inner.replaceAll(/\s/g, '') : inner.trim().split(/[\s,;]/, 1)[0]!;
      // What follows the end of an unclosed text is between brackets again.
      bareStart = isClosed ? position + 2 : start + inner.indexOf(text) + text.length;
      if (isClosed) position += 1;
      if (text !== '') {
        bracketed.push(text);
        all.push(text);
      }
    }
  }
  endBare(value.length);
  return { bracketed, all, bare };
};

/**
 * The texts of a list field, of which senders may have forgotten the angle brackets. Text between brackets is prose unless
 * all of it has the form of the list's elements. Encoded words are decoded, though RFC 2047 §5 forbids them there. Null
 * when there is none.
 */
const listedTexts = (field: HeaderField, element: RegExp): string[] | null => {
  const { bracketed, all, bare } = readList(decodeWordsInName(unfolded(field)));
  const texts = bare.every((text) => element.test(text)) ? all : bracketed;
  // The limit may have cut the last text.
  const whole = field.value.length > parseLimits.fieldValue ? texts.slice(0, -1) : texts;
  return whole.length > 0 ? [...whole] : null;
};

/** The MessageIds form (RFC 8621 §4.1.2.5): the message ids without their brackets. Null when there is none. */
export const asMessageIds = (field: HeaderField): string[] | null => listedTexts(field, /^[^\s<>@"]+@[^\s<>@"]+$/);

/** The date of the field. Encoded words are decoded, though RFC 2047 §5 forbids them there. */
const parsedDate = (field: HeaderField): ParsedDateTime | undefined => parseDateTime(decodeEncodedWords(unfolded(field)));

/** The Date form (RFC 8621 §4.1.2.6): the date with the UTC offset of the field. Null when it cannot be parsed. */
export const asDate = (field: HeaderField): string | null => parsedDate(field)?.text ?? null;

/** The URLs form (RFC 8621 §4.1.2.7): the URLs of a List-* field (RFC 2369). Null when there is none. */
export const asURLs = (field: HeaderField): string[] | null => listedTexts(field, /^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i);

/** The date of a Date field; undefined when the field is missing or cannot be parsed. */
export const parseDateField = (field: HeaderField | undefined): ParsedDateTime | undefined => field && parsedDate(field);
