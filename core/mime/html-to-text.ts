/** Named character references that are common in mail. Other ones stay as they are written. */
const entities: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '', zwnj: '\u200C', zwj: '\u200D',
  copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–', bull: '•', middot: '·', deg: '°',
  euro: '€', pound: '£', yen: '¥', cent: '¢',
  lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«', raquo: '»', times: '×', para: '¶', sect: '§',
  auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß',
  eacute: 'é', egrave: 'è', ecirc: 'ê', agrave: 'à', aacute: 'á', acirc: 'â', ccedil: 'ç', iacute: 'í', icirc: 'î', oacute: 'ó', ocirc: 'ô',
  uacute: 'ú', ugrave: 'ù', ucirc: 'û', ntilde: 'ñ', aring: 'å', aelig: 'æ', oslash: 'ø',
};

const characterOf = (codePoint: number): string =>
  codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff) ? String.fromCodePoint(codePoint) : '\uFFFD';

/** Replaces character references by their characters. */
const decodeCharacterReferences = (html: string): string =>
  html.replaceAll(/&(?:#(\d{1,8})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal) return characterOf(Number(decimal));
    if (hex) return characterOf(Number.parseInt(hex, 16));
    return entities[name ?? ''] ?? whole;
  });

/** Elements whose content is not rendered as text. */
const hiddenElements = new Set(['style', 'script', 'title', 'template', 'noscript', 'textarea', 'svg', 'math', 'object', 'select']);

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

/** The position after the closing tag of that name. */
const endOfElement = (html: string, start: number, name: string): number => {
  const closing = new RegExp(`</${name}[\\s/>]`, 'gi');
  closing.lastIndex = start;
  const match = closing.exec(html);
  return match ? endOfTag(html, match.index) : html.length;
};

const isHidden = (tag: string): boolean => /display\s*:\s*none|\shidden(?:[\s=>/]|$)/i.test(tag);

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
    && (hiddenElements.has(name) || (name === 'div' || name === 'span') && isHidden(html.slice(start, Math.min(end, start + 2000))));
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
