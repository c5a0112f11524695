/** The collations compare case-mapped strings like this. */
const compareCodePoints = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const leadingNumber = (text: string): number => Number(/^\d+/.exec(text)?.[0] ?? Infinity);

const asciiUpperCase = (text: string): string => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
const unicodeUpperCase = (text: string): string => text.normalize('NFKD').toUpperCase();

/** Compares by a collation (RFC 4790 §9, RFC 5051). The default is i;unicode-casemap, as RFC 8620 §5.5 recommends. */
export const compareTexts = (collation: string | undefined, one: string, other: string): number => {
  if (collation === 'i;ascii-numeric') {
    const [first, second] = [leadingNumber(one), leadingNumber(other)];
    return first === second ? 0 : first - second;
  }
  const fold = collation === 'i;ascii-casemap' ? asciiUpperCase : unicodeUpperCase;
  return compareCodePoints(fold(one), fold(other));
};
