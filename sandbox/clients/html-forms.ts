import { DomUtils, parseDocument } from 'htmlparser2';

/** The parts of an HTML form that the hosted sign-in needs. */
export type HtmlForm = {
  readonly action: string;
  /** All fields with a name; `value` is the page's initial value. */
  readonly fields: readonly { readonly name: string; readonly type: string; readonly value: string }[];
};

const isField = (tag: string): boolean => tag === 'input' || tag === 'button';

/** The forms of a page, in document order. */
export const parseForms = (html: string): HtmlForm[] =>
  DomUtils.getElementsByTagName('form', parseDocument(html)).map((form) => ({
    action: form.attribs['action'] ?? '',
    fields: DomUtils.getElementsByTagName(isField, form).flatMap(({ attribs: { name, type = 'text', value = '' } }) =>
      name ? [{ name, type: type.toLowerCase(), value }] : [],
    ),
  }));

/** The page's error message: the text of the first element with a class that begins with `error`. */
export const errorMessageIn = (html: string): string | undefined => {
  const element = DomUtils.findOne(({ attribs }) => /\berror/.test(attribs['class'] ?? ''), parseDocument(html).children);
  return element ? DomUtils.textContent(element).trim() || undefined : undefined;
};
