import { decodeCharacterReferences } from './character-references.ts';

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

/** The position after a tag, or the end of the text when the tag is not closed. A quoted `>` does not end the tag. */
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
 * The position after an element whose content begins at `start`. A paragraph also ends where another paragraph begins.
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

/** Skipped markup: the position after it, its replacement in the text, and the tag if it opens a visible element. */
type SkippedMarkup = { readonly next: number; readonly text: string; readonly shownTag?: { readonly name: string; readonly end: number } };

/** Skips a tag or a comment. With the tag of a hidden element, the element is skipped. */
const skipMarkup = (html: string, start: number): SkippedMarkup => {
  if (html.startsWith('<!--', start)) {
    const closing = html.indexOf('-->', start + 4);
    return { next: closing < 0 ? html.length : closing + 3, text: '' };
  }
  const name = /^<[/!?]?([a-z][a-z0-9]{0,20})?/i.exec(html.slice(start, start + 24))?.[1]?.toLowerCase();
  const end = endOfTag(html, start + 1);
  const isOpening = html[start + 1] !== '/';
  const isHidden = isOpening && name !== undefined
    && (hiddenElements.has(name) || hasHidingAttribute(html.slice(start, Math.min(end, start + 2000))));
  return {
    next: isHidden && !voidElements.has(name) && html[end - 2] !== '/' ? endOfElement(html, end, name) : end,
    text: inlineElements.has(name ?? '') ? '' : ' ',
    ...(isOpening && !isHidden && name !== undefined && { shownTag: { name, end } }),
  };
};

/** Called with the whole opening tag of an element, and the name of the element in lower case. */
type OnTag = (tag: string, name: string) => void;

/**
 * The visible text of an HTML document, up to about `maxCharacters` characters. The time is linear in the length of the
 * HTML. An element, comment or tag that is not closed extends to the end.
 * @param onTag called for each element that is not hidden, in the part of the HTML that is read.
 */
export const htmlToText = (html: string, maxCharacters: number, onTag?: OnTag): string => {
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
    const { next, text: replacement, shownTag } = skipMarkup(html, markup);
    if (shownTag) onTag?.(html.slice(markup, shownTag.end), shownTag.name);
    text += replacement;
    position = next;
  }
  return text;
};
