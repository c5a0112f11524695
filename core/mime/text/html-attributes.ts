import { decodeAttributeReferences } from './character-references.ts';

/** Attributes whose values are presented to the reader. */
const presentedAttributes = ['alt', 'title'];

/** Elements of the head of a document, without visible content. */
const headElements = new Set(['base', 'head', 'link', 'meta']);

/** An attribute of a tag, with its value in quotes or without (HTML Living Standard §13.1.2.3). */
const attribute = /[\s/"']([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>][^\s>]*))?/g;

const isMentioned = new RegExp(presentedAttributes.join('|'), 'i');

/**
 * The non-blank values of `alt` and `title` in the opening tag of an element (RFC 8621 §4.4.1), in order. The time is
 * linear in the length of the tag.
 * @param name the name of the element, in lower case.
 */
export const presentedTexts = (tag: string, name: string): readonly string[] => {
  if (headElements.has(name) || !isMentioned.test(tag)) return [];
  const texts: string[] = [];
  for (const [, attributeName = '', given = ''] of tag.matchAll(attribute)) {
    if (!presentedAttributes.includes(attributeName.toLowerCase())) continue;
    const value = /^["']/.test(given) ? given.slice(1, -1) : given;
    const text = decodeAttributeReferences(value).trim();
    if (text !== '') texts.push(text);
  }
  return texts;
};
