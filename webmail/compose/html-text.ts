import { TextWriter } from './text-writer.ts';

/** The parts of a DOM node that are read. */
export type HtmlNode = {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly childNodes: ArrayLike<HtmlNode>;
  getAttribute?(name: string): string | null;
};

const nodeTypes = { element: 1, text: 3 } as const;

const leftOut = new Set('HEAD IFRAME MATH NOSCRIPT OBJECT SCRIPT SELECT STYLE SVG TEMPLATE TEXTAREA TITLE'.split(' '));

/** Elements with an empty line around them, and others that begin and end lines. */
const paragraphs = new Set('P BLOCKQUOTE H1 H2 H3 H4 H5 H6 PRE TABLE DL UL OL MENU FIGURE'.split(' '));
const blocks = new Set(
  (
    'ADDRESS ARTICLE ASIDE BODY CAPTION CENTER DD DETAILS DIV DT FIELDSET FIGCAPTION FOOTER FORM HEADER HR LEGEND LI MAIN NAV ' +
    'SECTION SUMMARY TBODY TFOOT THEAD TR'
  ).split(' '),
);
/** Paragraphs that have no empty line around them within a list. */
const tight = new Set('P UL OL MENU DL'.split(' '));

/** Line breaks that may be in a row: those of the person, and of others, who use them for the layout. */
const mostBreaks = { own: 100, quoted: 2 } as const;

/** Whose HTML it is. */
export type HtmlOwner = keyof typeof mostBreaks;

/** Maximum characters of style that are read. */
const maxStyle = 4_000;

/** An element that is open. */
type Open = {
  readonly node: HtmlNode;
  readonly name: string;
  /** Line breaks around it. */
  readonly breaks: number;
  /** The index of the child that is read next. */
  next: number;
  /** The number of the last item of a list. */
  item: number;
  readonly isInList: boolean;
  readonly isPreformatted: boolean;
  readonly isInLink: boolean;
  /** Whether it is the mark of a list item of Word, which is a paragraph. */
  readonly isMark: boolean;
  /** The mark of a list item. */
  readonly marker: string;
  /** Where the text of a link begins. */
  readonly linkStart: number | undefined;
};

const attributeOf = (node: HtmlNode, name: string): string => node.getAttribute?.(name) ?? '';

/** The values of a style by property. */
type Style = ReadonlyMap<string, string>;

const styleOf = (node: HtmlNode): Style =>
  new Map(
    attributeOf(node, 'style')
      .slice(0, maxStyle)
      .toLowerCase()
      .split(';')
      .map((declaration) => {
        const colon = declaration.indexOf(':');
        return [declaration.slice(0, Math.max(0, colon)).trim(), declaration.slice(colon + 1).trim()];
      }),
  );

/** Whether a length is nothing that a person sees: Word writes `0.0001pt`. */
const isZero = (length = ''): boolean => Math.abs(Number.parseFloat(length)) < 0.01;

/** Whether a program hid an element, as newsletters do with the words for the list of messages. */
const isHidden = (style: Style): boolean =>
  /^none\b/.test(style.get('display') ?? '') ||
  /^hidden\b/.test(style.get('visibility') ?? '') ||
  isZero(style.get('opacity')) ||
  (isZero(style.get('max-height')) && /^hidden\b/.test(style.get('overflow') ?? ''));

/** Whether a paragraph stands at the next one, as those of Outlook do. */
const hasNoMargin = (node: HtmlNode, style: Style): boolean => {
  if (/\bMso(?:Normal|ListParagraph|PlainText|NoSpacing)/.test(attributeOf(node, 'class').slice(0, maxStyle))) return true;
  const [top, , bottom = top] = (style.get('margin') ?? '').split(' ');
  return (
    isZero(style.get('margin-top') ?? top) && isZero(style.get('margin-bottom') ?? bottom) && ![...style.keys()].some((name) => name.startsWith('padding'))
  );
};

/** Whether the lines of a text are those of its source. Undefined for an element that leaves it as it is around it. */
const keepsLines = (name: string, style: Style): boolean | undefined => {
  const space = style.get('white-space') ?? '';
  if (/^(?:normal|nowrap)\b/.test(space)) return false;
  return name === 'PRE' || /^(?:pre|break)/.test(space) || undefined;
};

const breaksOf = (node: HtmlNode, name: string, style: Style, isInList: boolean): number => {
  if (name === 'P' && hasNoMargin(node, style)) return 1;
  if (paragraphs.has(name)) return isInList && tight.has(name) ? 1 : 2;
  return blocks.has(name) ? 1 : 0;
};

const beforeFirst = (list: HtmlNode): number => {
  const start = Number.parseInt(attributeOf(list, 'start') || '1', 10);
  return Math.abs(start) < 1e9 ? start - 1 : 0;
};

const nextMarker = (parent: Open | undefined): string => {
  if (parent?.name !== 'OL') return '* ';
  parent.item += 1;
  return `${parent.item}. `;
};

/** Characters that show a place for a line to break, or nothing. */
const unseen = /[\u00ad\u200b\ufeff]/g;

/** White space of text is one blank, no-break spaces are as many. What nobody sees is left out. */
const writeText = (value: string, writer: TextWriter): void => {
  for (const [piece] of value.matchAll(/[ \t\n\r\f]+|\u00a0+|[^ \t\n\r\f\u00a0]+/g)) {
    if (writer.isFull) return;
    if (/^[ \t\n\r\f]/.test(piece)) writer.blank();
    else if (piece.startsWith('\u00a0')) writer.spaces(piece.replaceAll('\u00a0', ' '));
    else if (!/^[\s\p{Cf}\u034f]+$/u.test(piece)) writer.text(piece.replaceAll(unseen, ''));
  }
};

/** The mark of a list item of Word is a letter of a font of symbols, and blanks. */
const writeMark = (value: string, writer: TextWriter): void =>
  writeText(value.replaceAll('\u00a0', ' ').replace(/^\s{0,40}[·o§Øüv\uf0b7]\s{0,40}$/, '*'), writer);

const writePreformatted = (value: string, writer: TextWriter): void => {
  for (const [index, line] of value.split(/\r?\n/).entries()) {
    if (writer.isFull) return;
    if (index > 0) writer.breakOnce();
    const text = line.replaceAll('\u00a0', ' ');
    if (text.trim() !== '') writer.text(text);
    else if (text !== '') writer.spaces(text);
  }
};

/** Writes where a link leads, unless its text says it. Of a newsletter, an image that has no words has a link with words too. */
const writeTarget = (href: string, text: string, owner: HtmlOwner, writer: TextWriter): void => {
  if (owner === 'quoted' && text.trim() === '') return;
  const target = href.trim();
  if (!/^(?:https?|mailto|tel):[^\s<>]{1,2000}$/i.test(target)) return;
  const bare = (url: string): string => url.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, '');
  const digits = (number: string): string => number.replaceAll(/[^+\d]/g, '');
  if (bare(text.trim()) === bare(target) || (/^tel:/i.test(target) && digits(text) === digits(target))) return;
  writer.blank();
  writer.text(`<${target.replace(/^(?:mailto|tel):/i, '')}>`);
};

const enter = (node: HtmlNode, parent: Open | undefined, writer: TextWriter): Open | undefined => {
  const name = node.nodeName.toUpperCase();
  if (leftOut.has(name)) return undefined;
  const style = styleOf(node);
  if (isHidden(style)) return undefined;
  if (name === 'BR') writer.breakOnce();
  if (name === 'IMG') {
    writer.blank();
    writeText(attributeOf(node, 'alt'), writer);
  }
  const isInList = parent?.isInList ?? false;
  const breaks = breaksOf(node, name, style, isInList);
  writer.breakLine(breaks);
  if (name === 'TABLE') writer.openTable();
  if (name === 'HR') writer.text('-----');
  const marker = name === 'LI' ? nextMarker(parent) : '';
  if (name === 'LI') writer.openItem(marker);
  if (name === 'BLOCKQUOTE') writer.openQuote();
  if (name === 'TD' || name === 'TH') writer.openCell();
  const isInLink = parent?.isInLink ?? false;
  return {
    node,
    name,
    next: 0,
    breaks,
    item: name === 'OL' ? beforeFirst(node) : 0,
    isInList: isInList || name === 'LI',
    isPreformatted: keepsLines(name, style) ?? parent?.isPreformatted ?? false,
    isInLink: isInLink || name === 'A',
    isMark: (parent?.isMark ?? false) || style.get('mso-list') === 'ignore',
    marker,
    // The text of a link within a link would be read for each of them.
    linkStart: name === 'A' && !isInLink ? writer.position : undefined,
  };
};

const leave = ({ node, name, breaks, isMark, marker, linkStart }: Open, owner: HtmlOwner, writer: TextWriter): void => {
  if (linkStart !== undefined) writeTarget(attributeOf(node, 'href'), writer.since(linkStart), owner, writer);
  if (name === 'LI') writer.closeItem(marker);
  if (name === 'BLOCKQUOTE') writer.closeQuote();
  if (name === 'TD' || name === 'TH') writer.closeCell();
  if (name === 'TABLE') writer.closeTable();
  if (isMark) writer.blank();
  writer.breakLine(breaks);
};

/**
 * The text of HTML: paragraphs, lists, quotes and tables as lines, with where links lead. It has at most a million
 * characters. Mails nest without end, so it does not call itself.
 */
export const textOfHtml = (root: HtmlNode, owner: HtmlOwner = 'own'): string => {
  const writer = new TextWriter(mostBreaks[owner]);
  const open = [enter(root, undefined, writer)].filter((each) => each !== undefined);
  for (let top = open.at(-1); top && !writer.isFull; top = open.at(-1)) {
    const child = top.node.childNodes[top.next];
    top.next += 1;
    if (!child) leave(open.pop()!, owner, writer);
    else if (child.nodeType === nodeTypes.text) (top.isMark ? writeMark : top.isPreformatted ? writePreformatted : writeText)(child.nodeValue ?? '', writer);
    else if (child.nodeType === nodeTypes.element) {
      const entered = enter(child, top, writer);
      if (entered) open.push(entered);
    }
  }
  return writer.since(0);
};
