import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** Elements whose content is not rendered as text. */
const hiddenElements = new Set([
  'iframe',
  'math',
  'noembed',
  'noframes',
  'noscript',
  'object',
  'script',
  'select',
  'style',
  'svg',
  'template',
  'textarea',
  'title',
]);

/** Elements in which a tag may close itself (HTML Living Standard §13.1.2.1). */
const foreignElements = new Set(['math', 'svg']);

/** Elements without content. */
const voidElements = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr']);

/** Elements that do not separate words. */
const inlineElements = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'bdo',
  'big',
  'cite',
  'code',
  'del',
  'em',
  'font',
  'i',
  'ins',
  'kbd',
  'label',
  'mark',
  'q',
  's',
  'small',
  'span',
  'strike',
  'strong',
  'sub',
  'sup',
  'tt',
  'u',
  'wbr',
]);

/** Elements of the head of a document, without visible content. */
const headElements = new Set(['base', 'head', 'link', 'meta']);

/** Attributes whose values are presented to the reader (RFC 8621 §4.4.1). */
const presentedAttributes = new Set(['alt', 'title']);

const readAttributes = new Set([...presentedAttributes, 'hidden', 'style']);

const [cell, row, rows] = [['td', 'th'], ['tr'], ['tbody', 'tfoot', 'thead']];
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const lists = ['dd', 'dl', 'dt', 'li', 'menu', 'ol', 'ul'];
/** Elements that end an `svg` or `math` that is not closed (HTML Living Standard §13.2.6.5). */
const breakout = [
  ...headings,
  ...lists,
  'b',
  'big',
  'blockquote',
  'body',
  'br',
  'center',
  'code',
  'div',
  'em',
  'embed',
  'head',
  'hr',
  'i',
  'img',
  'listing',
  'meta',
  'nobr',
  'p',
  'pre',
  'ruby',
  's',
  'small',
  'span',
  'strike',
  'strong',
  'sub',
  'sup',
  'table',
  'tt',
  'u',
  'var',
];

/** Elements whose end tag may be missing, with the elements that end them (HTML Living Standard §13.2.6.4). */
const endedBy: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    p: [
      ...headings,
      ...lists,
      'address',
      'article',
      'aside',
      'blockquote',
      'center',
      'details',
      'dialog',
      'dir',
      'div',
      'fieldset',
      'figcaption',
      'figure',
      'footer',
      'form',
      'header',
      'hgroup',
      'hr',
      'listing',
      'main',
      'nav',
      'p',
      'plaintext',
      'pre',
      'search',
      'section',
      'summary',
      'table',
      'xmp',
    ],
    li: ['li'],
    dd: ['dd', 'dt'],
    dt: ['dd', 'dt'],
    math: breakout,
    svg: breakout,
    td: [...cell, ...row, ...rows],
    th: [...cell, ...row, ...rows],
    tr: [...row, ...rows],
    tbody: rows,
    thead: rows,
    tfoot: rows,
  }).map(([name, names]) => [name, new Set(names)]),
);

/** Elements in which no tag ends an element around them (HTML Living Standard §13.2.4.2). */
const scopes = ['annotation-xml', 'desc', 'foreignobject', 'mi', 'mn', 'mo', 'ms', 'mtext', 'object', 'table', 'title'];
/** Elements in which no start tag does. */
const startScopes = [...scopes, 'dl', 'menu', 'ol', 'ul'];

/** Counts open elements by name. */
class OpenElements {
  readonly #counts = new Map<string, number>();

  open(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Closes an element. @returns whether one was open. */
  close(name: string): boolean {
    const count = this.#counts.get(name) ?? 0;
    if (count > 0) this.#counts.set(name, count - 1);
    return count > 0;
  }

  hasAny(names: readonly string[]): boolean {
    return names.some((name) => (this.#counts.get(name) ?? 0) > 0);
  }
}

/** References to blanks that do not break or are of another width become spaces, and those to soft hyphens nothing. */
const plainCharacter = (codePoint: number): string => {
  if ([0xa0, 0x2002, 0x2003, 0x2009].includes(codePoint)) return ' ';
  return codePoint === 0xad ? '' : String.fromCodePoint(codePoint);
};

/** Called with each non-blank `alt` and `title` of an element that is not hidden. */
type OnPresented = (text: string) => void;

/** Collects the visible text from the tokens of HTML. */
class VisibleText implements TokenizerCallbacks {
  #text = '';
  #visible = 0;
  #name = '';
  #attribute = '';
  #value = '';
  #attributes = new Map<string, string>();
  readonly #shown = new OpenElements();
  /** The element that hides the current position, and the elements that are open within it. */
  #hidden: { readonly name: string; readonly inside: OpenElements } | undefined;
  readonly #html: string;
  readonly #maxCharacters: number;
  readonly #onPresented: OnPresented | undefined;
  readonly #tokenizer = new Tokenizer({}, this);

  constructor(html: string, maxCharacters: number, onPresented: OnPresented | undefined) {
    // The tokenizer takes it for CDATA everywhere. In HTML it begins a comment that ends at the next `>`.
    this.#html = html.replaceAll('<![CDATA[', '<![cdata[');
    this.#maxCharacters = maxCharacters;
    this.#onPresented = onPresented;
  }

  read(): string {
    if (this.#maxCharacters <= 0) return '';
    this.#tokenizer.write(this.#html);
    this.#tokenizer.end();
    return this.#text;
  }

  ontext(start: number, end: number): void {
    if (!this.#hidden) this.#show(this.#html.slice(start, Math.min(end, start + 16 * this.#maxCharacters)));
  }

  ontextentity(codePoint: number): void {
    if (!this.#hidden) this.#show(plainCharacter(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
    if (this.#hidden && endedBy.get(this.#hidden.name)?.has(this.#name) && !this.#hidden.inside.hasAny(startScopes)) this.#hidden = undefined;
  }

  onattribname(start: number, end: number): void {
    const name = this.#hidden ? '' : this.#html.slice(start, end).toLowerCase();
    this.#attribute = readAttributes.has(name) && !this.#attributes.has(name) ? name : '';
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== '') this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== '') this.#value += plainCharacter(codePoint);
  }

  onattribend(): void {
    if (this.#attribute !== '') this.#attributes.set(this.#attribute, this.#value);
  }

  onopentagend(): void {
    this.#openElement(!voidElements.has(this.#name));
  }

  onselfclosingtag(): void {
    this.#openElement(!voidElements.has(this.#name) && !foreignElements.has(this.#name) && !this.isInForeignContext());
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    if (!this.#hidden) {
      this.#shown.close(name);
      this.#separate(name);
    } else if (!this.#hidden.inside.close(name) && !this.#hidden.inside.hasAny(scopes)) {
      // The end tag of an element around the hidden one ends both.
      if (name === this.#hidden.name || (!inlineElements.has(name) && this.#shown.close(name))) this.#hidden = undefined;
    }
  }

  isInForeignContext(): boolean {
    return foreignElements.has(this.#hidden?.name ?? '');
  }

  // Nothing of these is text, and no element ends with the document.
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #openElement(hasContent: boolean): void {
    const name = this.#name;
    if (this.#hidden) {
      if (hasContent) this.#hidden.inside.open(name);
      return;
    }
    this.#separate(name);
    if (hiddenElements.has(name) || this.#isHiddenByAttribute()) {
      if (hasContent) this.#hidden = { name, inside: new OpenElements() };
      return;
    }
    if (hasContent) this.#shown.open(name);
    if (headElements.has(name)) return;
    for (const [attribute, value] of this.#attributes) {
      if (presentedAttributes.has(attribute) && value.trim() !== '') this.#onPresented?.(value.trim());
    }
  }

  #isHiddenByAttribute(): boolean {
    return this.#attributes.has('hidden') || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(this.#attributes.get('style') ?? '');
  }

  #separate(name: string): void {
    if (!inlineElements.has(name)) this.#text += ' ';
  }

  #show(run: string): void {
    this.#text += run;
    this.#visible += run.replaceAll(/\s+/g, ' ').trim().length;
    if (this.#visible >= this.#maxCharacters) this.#tokenizer.pause();
  }
}

/**
 * The visible text of an HTML document, up to about `maxCharacters` characters. The time is linear in the length of the
 * HTML. A tag that is not closed is not shown.
 * @param onPresented called in the part of the HTML that is read.
 */
export const htmlToText = (html: string, maxCharacters: number, onPresented?: OnPresented): string => new VisibleText(html, maxCharacters, onPresented).read();
