/** A part of a snippet, and whether it is what was searched. */
export type SnippetPart = { readonly text: string; readonly isMarked: boolean };

/** Characters of a snippet that are read. Servers send some 250. */
const maxLength = 5000;

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const ofCodePoint = (code: number): string => (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code));

const decoded = (text: string): string =>
  text.replaceAll(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g, (_, name?: string, decimal?: string, hexadecimal?: string) =>
    name === undefined ? ofCodePoint(decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal)) : named.get(name)!,
  );

/**
 * The parts of a subject or preview of a SearchSnippet (RFC 8621 §5), which is HTML-escaped text with `<mark>` elements.
 * Any other tag that a server sends is text.
 */
export const snippetParts = (snippet: string): readonly SnippetPart[] => {
  let isMarked = false;
  const parts: SnippetPart[] = [];
  for (const piece of snippet.slice(0, maxLength).split(/(<\/?mark>)/)) {
    if (piece === '<mark>' || piece === '</mark>') isMarked = piece === '<mark>';
    else if (piece !== '') parts.push({ text: decoded(piece), isMarked });
  }
  return parts;
};
