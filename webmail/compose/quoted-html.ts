import type { Cleaner } from './cleaning-frame.ts';
import { quoteClasses } from './quote.ts';

/** The attributes of a body that style what is in it. */
const bodyAttributes = ['style', 'bgcolor', 'dir', 'lang', 'class'];

/** The HTML of a mail as a part of another one: its styles and its content, sanitized. Undefined above the limits. */
export const quotedHtml = (html: string, clean: Cleaner): string | undefined => {
  const root = clean(html, 'sent');
  const body = root?.querySelector('body');
  if (!root || !body) return undefined;
  const box = body.ownerDocument.createElement('div');
  for (const name of bodyAttributes) {
    const value = body.getAttribute(name);
    if (value !== null) box.setAttribute(name, value);
  }
  for (const style of root.querySelectorAll('head style')) box.append(style);
  while (body.firstChild) box.append(body.firstChild);
  return box.outerHTML;
};

/** The quote with which a draft of another program ends. */
const foreignQuote = (body: Element): Element | undefined => {
  const last = body.lastElementChild;
  const isEnd = last !== null && last.matches('blockquote[type="cite"], .gmail_quote') && (last.nextSibling?.textContent ?? '').trim() === '';
  return isEnd ? last : undefined;
};

/** Divides the HTML of a draft into the person's own and its original. */
export const splitHtml = (html: string, clean: Cleaner): { readonly own: string; readonly quote: string | undefined } | undefined => {
  const body = clean(html, 'sent')?.querySelector('body');
  if (!body) return undefined;
  const original = body.querySelector(`.${quoteClasses.whole}`) ?? foreignQuote(body);
  original?.remove();
  return { own: body.innerHTML, quote: original?.outerHTML };
};
