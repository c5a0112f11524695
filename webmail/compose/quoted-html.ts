import type { Cleaner } from './cleaning-frame.ts';
import { textOfHtml } from './html-text.ts';
import { bounds, quoteClasses } from './quote.ts';
import { bindPosition, scopedStyle, type StyleScope } from './scoped-style.ts';

const scope: StyleScope = { around: `.${quoteClasses.original}`, body: `.${quoteClasses.original} > div` };

/** The attributes of a body that style what is in it, and of them those that it inherits. */
const bodyAttributes = ['style', 'bgcolor', 'dir', 'lang', 'class'];
const inherited = new Set(['dir', 'lang']);

/** Binds all style in an element to the quote. */
const bindStyle = (element: Element, bound: StyleScope): void => {
  for (const style of element.querySelectorAll('style')) style.textContent = scopedStyle(style.textContent, bound);
  for (const { style } of element.querySelectorAll<HTMLElement>('[style]')) bindPosition(style);
};

/** The HTML of a mail as a part of another one, sanitized: its styles and its content, and its text. Undefined above the limits. */
export const quotedHtml = (html: string, clean: Cleaner): { readonly html: string; readonly text: string } | undefined => {
  const root = clean(html, 'sent');
  const body = root?.querySelector('body');
  if (!root || !body) return undefined;
  const box = body.ownerDocument.createElement('div');
  for (const name of bodyAttributes) {
    const value = body.getAttribute(name) ?? (inherited.has(name) ? root.getAttribute(name) : null);
    if (value !== null) box.setAttribute(name, value);
  }
  for (const style of root.querySelectorAll('head style')) box.append(style);
  while (body.firstChild) box.append(body.firstChild);
  bindStyle(box, scope);
  bindPosition(box.style);
  return { html: box.outerHTML, text: textOfHtml(box, 'quoted') };
};

/** The quote with which a draft of another program ends. */
const foreignQuote = (body: Element): Element | undefined => {
  const last = body.lastElementChild;
  const isEnd = last !== null && last.matches('blockquote[type="cite"], .gmail_quote') && (last.nextSibling?.textContent ?? '').trim() === '';
  return isEnd ? last : undefined;
};

/**
 * Binds the style of an original as that of a quote is bound. Another program may have made it, or an attacker who named its
 * elements as ours.
 */
const bindOriginal = (whole: Element): void => {
  let original = whole.querySelector(`.${quoteClasses.original}`) ?? whole.querySelector('blockquote');
  if (!original) {
    original = whole.ownerDocument.createElement('div');
    original.append(...whole.childNodes);
    whole.append(original);
  }
  original.classList.add(quoteClasses.original);
  for (const element of [whole, ...whole.querySelectorAll('[style]')]) if (!original.contains(element)) element.removeAttribute('style');
  bindStyle(whole, { ...scope, keepsBound: true });
  original.setAttribute('style', bounds);
};

/** The HTML of a draft, divided into the person's own and its original, and the text of both. */
export type SplitHtml = { readonly own: string; readonly quote: string | undefined; readonly text: string };

/** Divides the HTML of a draft. Undefined above the limits. */
export const splitHtml = (html: string, clean: Cleaner): SplitHtml | undefined => {
  const body = clean(html, 'sent')?.querySelector('body');
  if (!body) return undefined;
  const original = body.querySelector(`.${quoteClasses.whole}`) ?? foreignQuote(body);
  const text = textOfHtml(body);
  original?.remove();
  if (original) bindOriginal(original);
  return { own: body.innerHTML, quote: original?.outerHTML, text };
};
