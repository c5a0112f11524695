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

/** An element that is open. */
type Open = {
  readonly node: HtmlNode;
  readonly name: string;
  /** The index of the child that is read next. */
  next: number;
  /** The number of the last item of a list. */
  item: number;
  readonly isInList: boolean;
  readonly isPreformatted: boolean;
  readonly isInLink: boolean;
  /** The mark of a list item. */
  readonly marker: string;
  /** Where the text of a link begins. */
  readonly linkStart: number | undefined;
};

const attributeOf = (node: HtmlNode, name: string): string => node.getAttribute?.(name) ?? '';

const breaksOf = (name: string, isInList: boolean): number => {
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

/** White space of text is one blank. No-break spaces are text, as plain blanks. */
const writeText = (value: string, writer: TextWriter): void => {
  for (const [piece] of value.matchAll(/[ \t\n\r\f]+|[^ \t\n\r\f]+/g)) {
    if (writer.isFull) return;
    if (/^[ \t\n\r\f]/.test(piece)) writer.blank();
    else writer.text(piece.replaceAll('\u00a0', ' '));
  }
};

const writePreformatted = (value: string, writer: TextWriter): void => {
  for (const [index, line] of value.split(/\r?\n/).entries()) {
    if (writer.isFull) return;
    if (index > 0) writer.breakOnce();
    if (line !== '') writer.text(line.replaceAll('\u00a0', ' '));
  }
};

/** Writes where a link leads, unless its text says it. */
const writeTarget = (href: string, text: string, writer: TextWriter): void => {
  const target = href.trim();
  if (!/^(?:https?|mailto|tel):[^\s<>]{1,2000}$/i.test(target)) return;
  const bare = (url: string): string => url.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, '');
  if (bare(text.trim()) === bare(target)) return;
  writer.blank();
  writer.text(`<${target.replace(/^(?:mailto|tel):/i, '')}>`);
};

const enter = (node: HtmlNode, parent: Open | undefined, writer: TextWriter): Open | undefined => {
  const name = node.nodeName.toUpperCase();
  if (leftOut.has(name)) return undefined;
  if (name === 'BR') writer.breakOnce();
  if (name === 'IMG') writeText(attributeOf(node, 'alt'), writer);
  const isInList = parent?.isInList ?? false;
  writer.breakLine(breaksOf(name, isInList));
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
    item: name === 'OL' ? beforeFirst(node) : 0,
    isInList: isInList || name === 'LI',
    isPreformatted: (parent?.isPreformatted ?? false) || name === 'PRE',
    isInLink: isInLink || name === 'A',
    marker,
    // The text of a link within a link would be read for each of them.
    linkStart: name === 'A' && !isInLink ? writer.position : undefined,
  };
};

const leave = ({ node, name, isInList, marker, linkStart }: Open, writer: TextWriter): void => {
  if (linkStart !== undefined) writeTarget(attributeOf(node, 'href'), writer.since(linkStart), writer);
  if (name === 'LI') writer.closeItem(marker);
  if (name === 'BLOCKQUOTE') writer.closeQuote();
  if (name === 'TD' || name === 'TH') writer.closeCell();
  writer.breakLine(breaksOf(name, isInList));
};

/**
 * The text of HTML: paragraphs, lists, quotes and tables as lines, with where links lead. It has at most a million
 * characters. Mails nest without end, so it does not call itself.
 */
export const textOfHtml = (root: HtmlNode): string => {
  const writer = new TextWriter();
  const open = [enter(root, undefined, writer)].filter((each) => each !== undefined);
  for (let top = open.at(-1); top && !writer.isFull; top = open.at(-1)) {
    const child = top.node.childNodes[top.next];
    top.next += 1;
    if (!child) leave(open.pop()!, writer);
    else if (child.nodeType === nodeTypes.text) (top.isPreformatted ? writePreformatted : writeText)(child.nodeValue ?? '', writer);
    else if (child.nodeType === nodeTypes.element) {
      const entered = enter(child, top, writer);
      if (entered) open.push(entered);
    }
  }
  return writer.since(0);
};
