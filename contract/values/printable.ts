const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** A text for a terminal. Control characters are escaped, so that it cannot move the cursor or change colours. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, escaped);

/** A text of several lines for a terminal, which may have tabs. */
export const printableLines = (text: string): string => text.replace(/[^\P{Cc}\t\n]|\p{Bidi_Control}/gu, escaped);
