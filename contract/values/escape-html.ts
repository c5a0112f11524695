const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text as the content of an HTML element. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>]/g, (character) => escapes[character]!);
