/** Entities that are common in mail; the others stay as they are written. */
const entities: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '', zwnj: '\u200C', zwj: '\u200D',
  copy: '©', reg: '®', trade: '™', hellip: '…', mdash: '—', ndash: '–', bull: '•', middot: '·', euro: '€', pound: '£', yen: '¥', cent: '¢', deg: '°',
  lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«', raquo: '»', times: '×', para: '¶', sect: '§',
  auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', egrave: 'è', ecirc: 'ê', agrave: 'à', aacute: 'á', acirc: 'â',
  ccedil: 'ç', iacute: 'í', icirc: 'î', oacute: 'ó', ocirc: 'ô', uacute: 'ú', ugrave: 'ù', ucirc: 'û', ntilde: 'ñ', aring: 'å', aelig: 'æ', oslash: 'ø',
};

const characterOf = (codePoint: number): string =>
  codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff) ? String.fromCodePoint(codePoint) : '\uFFFD';

/** Character references replaced by what they stand for. */
export const withoutEntities = (html: string): string =>
  html.replaceAll(/&(?:#(\d{1,8})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal) return characterOf(Number(decimal));
    if (hex) return characterOf(Number.parseInt(hex, 16));
    return entities[name ?? ''] ?? whole;
  });

/** Elements whose content is no text that anybody sees. */
const unseen = new Set(['style', 'script', 'title', 'template', 'noscript', 'textarea', 'svg', 'math', 'object', 'select']);

/** Elements that stand within a line. */
const withinLine = new Set(['a', 'abbr', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'del', 'em', 'font', 'i', 'ins', 'kbd', 'label', 'mark', 'q', 's', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'tt', 'u', 'wbr']);

/** Where the tag ends that starts at `start`; `>` within quotes does not end it. The end of the text when it is not closed. */
const endOfTag = (html: string, start: number): number => {
  for (let at = start; at < html.length; at += 1) {
    const character = html[at];
    if (character === '>') return at + 1;
    if ((character === '"' || character === '\'') && html[at - 1] === '=') {
      const closing = html.indexOf(character, at + 1);
      if (closing < 0) return html.length;
      at = closing;
    }
  }
  return html.length;
};

/** Where what is unseen ends: behind the closing tag of that name. */
const endOfElement = (html: string, start: number, name: string): number => {
  const closing = new RegExp(`</${name}[\\s/>]`, 'gi');
  closing.lastIndex = start;
  const found = closing.exec(html);
  return found ? endOfTag(html, found.index) : html.length;
};

const isHidden = (tag: string): boolean => /display\s*:\s*none|\shidden(?:[\s=>/]|$)/i.test(tag);

/** Where to go on behind the markup that starts at `start`, and what stands for it in the text. */
const passMarkup = (html: string, start: number): { readonly next: number; readonly text: string } => {
  if (html.startsWith('<!--', start)) {
    const closing = html.indexOf('-->', start + 4);
    return { next: closing < 0 ? html.length : closing + 3, text: '' };
  }
  const name = /^<[/!?]?([a-z][a-z0-9]{0,20})?/i.exec(html.slice(start, start + 24))?.[1]?.toLowerCase();
  if (name === undefined && !/[/!?]/.test(html[start + 1] ?? '')) return { next: start + 1, text: '<' };
  const end = endOfTag(html, start + 1);
  const isOpening = html[start + 1] !== '/';
  const isUnseen = isOpening && name !== undefined && (unseen.has(name) || (name === 'div' || name === 'span') && isHidden(html.slice(start, Math.min(end, start + 2000))));
  return { next: isUnseen && html[end - 2] !== '/' ? endOfElement(html, end, name) : end, text: withinLine.has(name ?? '') ? '' : ' ' };
};

/**
 * The text of an HTML document as somebody would read it aloud, up to about `enough` characters. One pass: no markup makes it look at a
 * place twice, and what is never closed reaches to the end.
 */
export const htmlToText = (html: string, enough: number): string => {
  let text = '';
  let seen = 0;
  for (let at = 0; at < html.length && seen < enough;) {
    const found = html.indexOf('<', at);
    const markup = found < 0 ? html.length : found;
    const stretch = withoutEntities(html.slice(at, Math.min(markup, at + 16 * enough)));
    text += stretch;
    seen += stretch.replaceAll(/\s+/g, ' ').trim().length;
    if (markup === html.length) break;
    const { next, text: instead } = passMarkup(html, markup);
    text += instead;
    at = next;
  }
  return text;
};
