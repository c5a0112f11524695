/** Names of the characters from U+00A0 to U+00FF (HTML 4 §24.2), in order. */
const latin1Names = (
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot'
  + ' cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml'
  + ' Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig'
  + ' agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute'
  + ' ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
).split(' ');

/** Names of the characters from U+0391 to U+03C9 (HTML 4 §24.3), in order; `-` for those without a name. */
const greekNames = (
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega - -'
  + ' - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi'
  + ' psi omega'
).split(' ');

/** Named character references that are common in mail. Other ones stay as they are written. */
const entities = new Map(Object.entries({
  ...Object.fromEntries(latin1Names.map((name, index) => [name, String.fromCharCode(0xa0 + index)])),
  ...Object.fromEntries(greekNames.map((name, index) => [name, String.fromCharCode(0x391 + index)])),
  amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '', zwnj: '\u200C', zwj: '\u200D',
  lrm: '\u200E', rlm: '\u200F', trade: '™', hellip: '…', mdash: '—', ndash: '–', bull: '•', euro: '€', prime: '′', Prime: '″', permil: '‰',
  lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', lsaquo: '‹', rsaquo: '›', dagger: '†', Dagger: '‡',
  OElig: 'Œ', oelig: 'œ', Scaron: 'Š', scaron: 'š', Yuml: 'Ÿ', fnof: 'ƒ', circ: 'ˆ', tilde: '˜', frasl: '⁄', minus: '−',
  larr: '←', uarr: '↑', rarr: '→', darr: '↓', harr: '↔', hearts: '♥',
}));

const characterOf = (codePoint: number): string =>
  codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff) ? String.fromCodePoint(codePoint) : '\uFFFD';

/** Replaces character references by their characters. */
const decodeCharacterReferences = (html: string): string =>
  html.replaceAll(/&(?:#(\d{1,8})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,7}));?/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal) return characterOf(Number(decimal));
    if (hex) return characterOf(Number.parseInt(hex, 16));
    return entities.get(name ?? '') ?? whole;
  });

/** Elements whose content is not rendered as text. */
const hiddenElements = new Set(['style', 'script', 'title', 'template', 'noscript', 'textarea', 'svg', 'math', 'object', 'select']);

/** Elements without content. */
const voidElements = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr']);

/** Elements of raw text, in which no element begins. */
const rawTextElements = new Set(['style', 'script', 'title', 'textarea']);

/** Elements that do not separate words. */
const inlineElements = new Set([
  'a', 'abbr', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'del', 'em', 'font', 'i', 'ins', 'kbd', 'label', 'mark', 'q', 's', 'small', 'span',
  'strike', 'strong', 'sub', 'sup', 'tt', 'u', 'wbr',
]);

/**
 * The position after a tag, or the end of the text when the tag is not closed. `>` within a quoted attribute does not
 * end it.
 */
const endOfTag = (html: string, start: number): number => {
  for (let position = start; position < html.length; position += 1) {
    const character = html[position];
    if (character === '>') return position + 1;
    if ((character === '"' || character === '\'') && html[position - 1] === '=') {
      const closing = html.indexOf(character, position + 1);
      if (closing < 0) return html.length;
      position = closing;
    }
  }
  return html.length;
};

/**
 * The position after the closing tag of an element whose content begins at `start`, past nested elements of the same
 * name. A paragraph ends where the next one begins.
 */
const endOfElement = (html: string, start: number, name: string): number => {
  const tags = new RegExp(`<(${rawTextElements.has(name) ? '/' : '/?'})${name}(?=[\\s/>])`, 'gi');
  tags.lastIndex = start;
  let depth = 1;
  for (let match = tags.exec(html); match; match = tags.exec(html)) {
    const isOpening = match[1] === '';
    if (isOpening && name === 'p') return match.index;
    depth += isOpening ? 1 : -1;
    if (depth === 0) return endOfTag(html, match.index);
  }
  return html.length;
};

/** Whether the attributes of a tag hide its element. */
const hasHidingAttribute = (tag: string): boolean => {
  const style = /\sstyle\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/i.exec(tag)?.[1] ?? '';
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
    || /\shidden(?=[\s=>/]|$)/i.test(tag.replaceAll(/"[^"]*"|'[^']*'/g, ''));
};

/** Whether the `<` at that position starts markup: a tag, a comment or an instruction. */
const startsMarkup = (html: string, position: number): boolean => {
  const letter = html.charCodeAt(position + 1) | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || '/!?'.includes(html[position + 1] ?? ' ');
};

/** The position of the next `<` that starts markup, or the end of the text. */
const nextMarkup = (html: string, start: number): number => {
  let position = html.indexOf('<', start);
  while (position >= 0 && !startsMarkup(html, position)) position = html.indexOf('<', position + 1);
  return position < 0 ? html.length : position;
};

/**
 * Skips a tag or comment, and with it a hidden element.
 * @returns the position after it, and its replacement in the text.
 */
const skipMarkup = (html: string, start: number): { readonly next: number; readonly text: string } => {
  if (html.startsWith('<!--', start)) {
    const closing = html.indexOf('-->', start + 4);
    return { next: closing < 0 ? html.length : closing + 3, text: '' };
  }
  const name = /^<[/!?]?([a-z][a-z0-9]{0,20})?/i.exec(html.slice(start, start + 24))?.[1]?.toLowerCase();
  const end = endOfTag(html, start + 1);
  const isOpening = html[start + 1] !== '/';
  const isHiddenElement = isOpening && name !== undefined
    && (hiddenElements.has(name) || !voidElements.has(name) && hasHidingAttribute(html.slice(start, Math.min(end, start + 2000))));
  return {
    next: isHiddenElement && html[end - 2] !== '/' ? endOfElement(html, end, name) : end,
    text: inlineElements.has(name ?? '') ? '' : ' ',
  };
};

/**
 * The visible text of an HTML document, up to about `maxCharacters` characters. The work is linear in the length of the
 * HTML. An element, comment or tag that is not closed extends to the end.
 */
export const htmlToText = (html: string, maxCharacters: number): string => {
  let text = '';
  let visible = 0;
  for (let position = 0; position < html.length && visible < maxCharacters;) {
    const markup = nextMarkup(html, position);
    if (markup > position) {
      const run = decodeCharacterReferences(html.slice(position, Math.min(markup, position + 16 * maxCharacters)));
      text += run;
      visible += run.replaceAll(/\s+/g, ' ').trim().length;
    }
    if (markup === html.length) break;
    const { next, text: replacement } = skipMarkup(html, markup);
    text += replacement;
    position = next;
  }
  return text;
};
