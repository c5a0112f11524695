import type { MailField } from './mail-reading.ts';

export type Parser = 'python' | 'postal-mime';

/**
 * Known differences between our parser and another one. `of` are slips (mail-slips.ts) or files of Python's test data.
 * `theirs`: the other parser reads what nobody can have meant. `choice`: both readings have reasons.
 */
export type MailDifference = {
  readonly parser: Parser;
  readonly of: readonly string[];
  readonly fields: readonly MailField[] | 'all';
  readonly kind: 'theirs' | 'choice';
  readonly reason: string;
};

const inContentType = ['a comma behind the type', 'no semicolon behind the type', 'the field says its name twice'];
const beforeHeader = ['a mark before the header', 'a banner before the header', 'a damaged line in the header'];

export const mailDifferences: readonly MailDifference[] = [
  {
    parser: 'python',
    of: [...inContentType, 'the type in quotes'],
    fields: ['text', 'html', 'names', 'files'],
    kind: 'theirs',
    reason: 'takes such a type for unknown, so that the text is a file',
  },
  {
    parser: 'python',
    of: ['a semicolon behind the encoding', 'the encoding in quotes'],
    fields: ['text', 'files'],
    kind: 'theirs',
    reason: 'leaves the content encoded',
  },
  {
    parser: 'python',
    of: ['a name without quotes', 'a name with parentheses without quotes'],
    fields: ['names'],
    kind: 'theirs',
    reason: 'ends the name at the first blank',
  },
  {
    parser: 'python',
    of: ['a charset in single quotes', 'an unknown charset'],
    fields: ['text'],
    kind: 'choice',
    reason: 'replaces what is valid UTF-8, or leaves it undecoded',
  },
  { parser: 'python', of: beforeHeader, fields: 'all', kind: 'choice', reason: 'ends the header there, and shows its fields as text' },
  {
    parser: 'python',
    of: ['an afternoon', 'a short zone', 'a zone by name'],
    fields: ['date'],
    kind: 'theirs',
    reason: 'leaves out the half of the day or the zone, and is hours away',
  },
  { parser: 'python', of: ['ISO 8601', 'a German month'], fields: ['date'], kind: 'theirs', reason: 'does not read the form' },
  {
    parser: 'postal-mime',
    of: inContentType,
    fields: ['text', 'html', 'names', 'files'],
    kind: 'theirs',
    reason: 'takes such a type for unknown, so that the text is a file or nothing',
  },
  { parser: 'postal-mime', of: ['a name with parentheses without quotes'], fields: ['names'], kind: 'theirs', reason: 'takes the parentheses for a comment' },
  {
    parser: 'postal-mime',
    of: ['a charset in single quotes', 'an unknown charset', 'a code page of DOS', 'UTF-7'],
    fields: ['text'],
    kind: 'theirs',
    reason: 'knows the charsets of the web only',
  },
  {
    parser: 'postal-mime',
    of: ['no blank line behind the header of a part'],
    fields: ['text', 'html'],
    kind: 'theirs',
    reason: 'loses the text up to the first blank line',
  },
  { parser: 'postal-mime', of: ['a mark before the header'], fields: ['from'], kind: 'theirs', reason: 'loses the first field' },
  { parser: 'postal-mime', of: ['dots in the time', 'a German month', 'a zone by name'], fields: ['date'], kind: 'theirs', reason: 'does not read the form' },
  {
    parser: 'postal-mime',
    of: ['a name without quotes in From'],
    fields: ['from'],
    kind: 'choice',
    reason: 'has one author only, and takes the words before the comma for it',
  },
  {
    parser: 'python',
    of: ['groups of addresses', 'semicolons between addresses'],
    fields: ['to'],
    kind: 'theirs',
    reason: 'reads nothing behind the semicolon of a group, or nothing at all',
  },
  {
    parser: 'python',
    of: ['brackets too many', 'a quote too many', 'no comma between addresses'],
    fields: ['to'],
    kind: 'theirs',
    reason: 'loses an address, or gives it the name of another one',
  },
  {
    parser: 'postal-mime',
    of: ['a quoted local part', 'comments in addresses', 'a route', 'blanks around dots', 'a domain literal'],
    fields: ['to'],
    kind: 'theirs',
    reason: 'does not read this part of RFC 5322 §3.4',
  },
  {
    parser: 'postal-mime',
    of: ['a bracket too few', 'a quote too many', 'no comma between addresses'],
    fields: ['to'],
    kind: 'theirs',
    reason: 'loses an address, or gives it the name of another one',
  },
  // Python's test data
  {
    parser: 'python',
    of: ['msg_17.txt', 'msg_25.txt', 'msg_31.txt', 'msg_41.txt'],
    fields: ['text', 'names', 'files'],
    kind: 'choice',
    reason: 'takes a multipart without a boundary for a file; we show it as text',
  },
  { parser: 'python', of: ['msg_15.txt'], fields: ['names', 'files'], kind: 'choice', reason: 'ends the header of a part at a folded line without a field' },
  {
    parser: 'python',
    of: ['msg_16.txt', 'msg_42.txt', 'msg_43.txt'],
    fields: ['files'],
    kind: 'theirs',
    reason: 'writes a message within a message anew, not octet for octet',
  },
  {
    parser: 'python',
    of: ['msg_39.txt'],
    fields: ['names', 'files'],
    kind: 'choice',
    reason: 'ends a part at the delimiter of an outer one, which the part repeats',
  },
  { parser: 'python', of: ['msg_43.txt'], fields: ['from'], kind: 'choice', reason: 'leaves out words that are no address; we show them' },
  {
    parser: 'postal-mime',
    of: ['msg_05.txt', 'msg_15.txt', 'msg_43.txt'],
    fields: ['from', 'to'],
    kind: 'choice',
    reason: 'leaves out words that are no address; we show them',
  },
  {
    parser: 'postal-mime',
    of: ['msg_04.txt', 'msg_44.txt'],
    fields: ['names', 'files'],
    kind: 'choice',
    reason: 'shows attached texts among the text, without their names',
  },
  { parser: 'postal-mime', of: ['msg_14.txt'], fields: ['text', 'names', 'files'], kind: 'theirs', reason: 'takes the type `text` for unknown' },
  {
    parser: 'postal-mime',
    of: ['msg_17.txt', 'msg_25.txt', 'msg_31.txt', 'msg_41.txt'],
    fields: ['text'],
    kind: 'theirs',
    reason: 'loses the text of a multipart without a boundary',
  },
  { parser: 'postal-mime', of: ['msg_25.txt'], fields: ['to'], kind: 'choice', reason: 'joins several fields To; RFC 8621 §4.1.2 takes the last' },
  {
    parser: 'postal-mime',
    of: ['msg_19.txt', 'msg_35.txt', 'msg_47.txt'],
    fields: ['text', 'html'],
    kind: 'theirs',
    reason: 'loses text behind a header without a blank line',
  },
  { parser: 'postal-mime', of: ['msg_38.txt'], fields: ['text'], kind: 'choice', reason: 'ends a part at a line that only begins like a delimiter' },
];
