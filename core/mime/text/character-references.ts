import { decodeHTML, decodeHTMLAttribute } from 'entities';

const reference = /&(?:#(?:\d+|x[0-9a-f]+)|[a-z][a-z0-9]*);?/gi;

/** References to blanks that do not break or are of another width become spaces, and those to soft hyphens nothing. */
const plain = (text: string): string => text.replaceAll(/[\u00A0\u2002\u2003\u2009]/g, ' ').replaceAll('\u00AD', '');

/** Replaces the character references in text of HTML by their characters (HTML Living Standard §13.2.5.72). */
export const decodeCharacterReferences = (html: string): string => html.replaceAll(reference, (each) => plain(decodeHTML(each)));

/** The same of the value of an attribute, where `&copy=` is no reference. */
export const decodeAttributeReferences = (value: string): string => (value.includes('&') ? plain(decodeHTMLAttribute(value)) : value);
