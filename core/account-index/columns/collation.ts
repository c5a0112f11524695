const leadingNumber = (text: string): number => Number(/^\d+/.exec(text)?.[0] ?? Infinity);

const asciiUpperCase = (text: string): string => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
const unicodeUpperCase = (text: string): string => text.normalize('NFKD').toUpperCase();

/** The key by which a collation compares a text (RFC 4790 §9, RFC 5051). Default: i;unicode-casemap. */
export const collationKey = (collation: string | undefined, text: string): string | number => {
  if (collation === 'i;ascii-numeric') return leadingNumber(text);
  return collation === 'i;ascii-casemap' ? asciiUpperCase(text) : unicodeUpperCase(text);
};

/** Compares keys of one collation. */
export const compareKeys = (one: string | number, other: string | number): number => (one < other ? -1 : one > other ? 1 : 0);

/** Compares by a collation. */
export const compareTexts = (collation: string | undefined, one: string, other: string): number =>
  compareKeys(collationKey(collation, one), collationKey(collation, other));
