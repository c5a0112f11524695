/** Writes encoded words (RFC 2047): text beyond printable ASCII in a header field. */

/** Characters of one encoded word (RFC 2047 §2). */
const maxLength = 75;
const [prefixLength, suffixLength] = ['=?utf-8?Q?'.length, '?='.length];

/** Octets that Q leaves as they are in every place where an encoded word may be, phrases included (RFC 2047 §5). */
const isLiteral = (octet: number): boolean =>
  (octet >= 0x30 && octet <= 0x39) || (octet >= 0x41 && octet <= 0x5a) || (octet >= 0x61 && octet <= 0x7a)
  || octet === 0x21 || octet === 0x2a || octet === 0x2b || octet === 0x2d || octet === 0x2f;

const qText = (octets: Buffer): string => {
  let text = '';
  for (const octet of octets) {
    if (octet === 0x20) text += '_';
    else text += isLiteral(octet) ? String.fromCharCode(octet) : `=${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
};

const qLength = (octets: Buffer): number => octets.reduce((sum, octet) => sum + (octet === 0x20 || isLiteral(octet) ? 1 : 3), 0);
const bLength = (octets: Buffer): number => Math.ceil(octets.length / 3) * 4;

/**
 * The text as encoded words of UTF-8, none of which splits a character. A reader joins adjacent ones without the blanks
 * between them. Q or B is used, whichever is shorter.
 * @param firstRoom characters that the first word has room for; at least 24.
 */
export const encodedWords = (text: string, firstRoom = maxLength): string[] => {
  const all = Buffer.from(text);
  const [letter, lengthOf, write] = qLength(all) <= bLength(all)
    ? ['Q', qLength, qText] as const
    : ['B', bLength, (octets: Buffer) => octets.toString('base64')] as const;
  const words: string[] = [];
  let pending = '';
  let pendingOctets = 0;
  let pendingLength = 0;
  const flush = (): void => {
    words.push(`=?utf-8?${letter}?${write(Buffer.from(pending))}?=`);
    [pending, pendingOctets, pendingLength] = ['', 0, 0];
  };
  for (const character of text) {
    const octets = Buffer.from(character);
    const length = letter === 'Q' ? pendingLength + lengthOf(octets) : Math.ceil((pendingOctets + octets.length) / 3) * 4;
    const room = (words.length === 0 ? Math.max(24, Math.min(firstRoom, maxLength)) : maxLength) - prefixLength - suffixLength;
    if (length > room) flush();
    pending += character;
    pendingOctets += octets.length;
    pendingLength += lengthOf(octets);
  }
  if (pending !== '') flush();
  return words;
};
