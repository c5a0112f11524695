import type { BodyPart } from '../parsed-email.ts';

/** The parts of a message as a client shows them: text, HTML, and files (RFC 8621 §4.1.4). */
export type BodyLists = {
  readonly textBody: readonly BodyPart[];
  readonly htmlBody: readonly BodyPart[];
  readonly attachments: readonly BodyPart[];
};

/** The lists while they are built. An undefined text or HTML list accepts no more parts. */
type OpenLists = { readonly text?: BodyPart[]; readonly html?: BodyPart[]; readonly attachments: BodyPart[] };

const isMedia = (type: string): boolean => /^(?:image|audio|video)\//.test(type);

/**
 * Whether the part is displayed as part of the body.
 * @param index the index of the part in a multipart of that subtype.
 */
const isInline = (part: BodyPart, index: number, subtype: string): boolean =>
  part.disposition !== 'attachment'
  && (part.type === 'text/plain' || part.type === 'text/html' || isMedia(part.type))
  && (index === 0 || (subtype !== 'related' && (isMedia(part.type) || part.name === undefined)));

/** Within multipart/alternative, adds an inline part to the list of its type; elsewhere, to each open list. */
const addInline = (part: BodyPart, subtype: string, lists: OpenLists): void => {
  if (subtype === 'alternative') {
    if (part.type === 'text/plain') lists.text?.push(part);
    else if (part.type === 'text/html') lists.html?.push(part);
    else lists.attachments.push(part);
    return;
  }
  lists.text?.push(part);
  lists.html?.push(part);
  if ((!lists.text || !lists.html) && isMedia(part.type)) lists.attachments.push(part);
};

/** Below a multipart/alternative, a text part closes the HTML list, and an HTML part the text list. */
const withoutOtherType = (part: BodyPart, lists: OpenLists): OpenLists => ({
  text: part.type === 'text/html' ? undefined : lists.text,
  html: part.type === 'text/plain' ? undefined : lists.html,
  attachments: lists.attachments,
});

/**
 * If a multipart/alternative added only text or only HTML, adds these parts to the other list too.
 * @param textBefore the length of the text list before the alternative.
 * @param htmlBefore the length of the HTML list before the alternative.
 */
const shareOnlyAlternative = ({ text, html }: OpenLists, textBefore: number, htmlBefore: number): void => {
  if (!text || !html) return;
  const [newText, newHtml] = [text.slice(textBefore), html.slice(htmlBefore)];
  if (newText.length === 0) text.push(...newHtml);
  else if (newHtml.length === 0) html.push(...newText);
};

const addParts = (parts: readonly BodyPart[], subtype: string, inAlternative: boolean, given: OpenLists): void => {
  let lists = given;
  const [textBefore, htmlBefore] = [lists.text?.length ?? 0, lists.html?.length ?? 0];
  for (const [index, part] of parts.entries()) {
    if (part.subParts) {
      const partSubtype = part.type.slice('multipart/'.length);
      addParts(part.subParts, partSubtype, inAlternative || partSubtype === 'alternative', lists);
    } else if (isInline(part, index, subtype)) {
      if (inAlternative && subtype !== 'alternative') lists = withoutOtherType(part, lists);
      addInline(part, subtype, lists);
    } else {
      lists.attachments.push(part);
    }
  }
  if (subtype === 'alternative') shareOnlyAlternative(lists, textBefore, htmlBefore);
};

/** The lists `textBody`, `htmlBody` and `attachments` of a bodyStructure, by the algorithm of RFC 8621 §4.1.4. */
export const bodyLists = (structure: BodyPart): BodyLists => {
  const [text, html, attachments]: [BodyPart[], BodyPart[], BodyPart[]] = [[], [], []];
  addParts([structure], 'mixed', false, { text, html, attachments });
  return { textBody: text, htmlBody: html, attachments };
};

/** The property `hasAttachment` (RFC 8621 §4.1.4): whether the message has an attachment that is not shown inline. */
export const hasAttachment = (structure: BodyPart): boolean =>
  bodyLists(structure).attachments.some((part) => part.disposition !== 'inline');
