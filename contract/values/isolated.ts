/** Separators of paragraphs, which end every isolate (UAX #9, type B), and other control characters, but no line breaks. */
const separators = /[^\P{Cc}\t\n]|\u2029/gu;

/**
 * A text in which each isolate is closed, and that closes no isolate around it (UAX #9, BD9). Otherwise a name with
 * U+2069 would end the isolate in which it stands, and turn around what follows.
 */
export const withClosedIsolates = (text: string): string => {
  let open = 0;
  const kept = text.replaceAll(separators, ' ').replaceAll(/[\u2066-\u2069]/g, (character) => {
    const isClosing = character === '\u2069';
    if (isClosing && open === 0) return '';
    open += isClosing ? -1 : 1;
    return character;
  });
  return kept + '\u2069'.repeat(open);
};

/**
 * A text of somebody else for the middle of another text: its direction does not reach the text around it. ASCII is
 * unchanged, because it has no direction of its own.
 */
export const isolated = (text: string): string =>
  /^[ -~]*$/.test(text) ? text : `\u2068${withClosedIsolates(text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' '))}\u2069`;
