import type { BodyPart } from '../parsed-email.ts';

/** The parts of a message as a client shows them: text, HTML, and files (RFC 8621 §4.1.4). */
export type BodyLists = { readonly textBody: readonly BodyPart[]; readonly htmlBody: readonly BodyPart[]; readonly attachments: readonly BodyPart[] };

/** The lists while they are built. An undefined text or HTML list accepts no more parts. */
type OpenLists = { readonly text?: BodyPart[]; readonly html?: BodyPart[]; readonly attachments: BodyPart[] };

const isMedia = (type: string): boolean => /^(?:image|audio|video)\//.test(type);

/** Whether the part is one of the texts that a client shows. */
export const isText = ({ type }: BodyPart): boolean => type === 'text/plain' || type === 'text/html';

/**
 * The index of the part that a multipart/related displays (RFC 2387 §3.2). Some senders put the HTML behind its images
 * and do not name it by `start`.
 */
const rootIndex = (parts: readonly BodyPart[], named: number | undefined): number => {
  if (named !== undefined) return named;
  if (parts[0]?.subParts || (parts[0] && isText(parts[0]))) return 0;
  const rich = parts.findIndex((part) => part.type === 'text/html' || part.type === 'multipart/alternative');
  return Math.max(rich >= 0 ? rich : parts.findIndex(isText), 0);
};

/**
 * Whether the part is displayed as part of the body.
 * @param isFirst whether the part is the first one of its multipart, or the root of a multipart/related.
 */
const isInline = (part: BodyPart, isFirst: boolean, subtype: string): boolean =>
  part.disposition !== 'attachment' &&
  (isText(part) || isMedia(part.type)) &&
  (isFirst || (subtype !== 'related' && (isMedia(part.type) || part.name === undefined)));

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

const addParts = ({ subParts: parts = [], root }: BodyPart, subtype: string, inAlternative: boolean, given: OpenLists): void => {
  let lists = given;
  const first = subtype === 'related' ? rootIndex(parts, root) : 0;
  const [textBefore, htmlBefore] = [lists.text?.length ?? 0, lists.html?.length ?? 0];
  for (const [index, part] of parts.entries()) {
    if (part.subParts) {
      const partSubtype = part.type.slice('multipart/'.length);
      addParts(part, partSubtype, inAlternative || partSubtype === 'alternative', lists);
    } else if (isInline(part, index === first, subtype)) {
      if (inAlternative && subtype !== 'alternative') lists = withoutOtherType(part, lists);
      addInline(part, subtype, lists);
    } else {
      lists.attachments.push(part);
    }
  }
  if (subtype === 'alternative') shareOnlyAlternative(lists, textBefore, htmlBefore);
};

/**
 * The lists `textBody`, `htmlBody` and `attachments` of a bodyStructure, by the algorithm of RFC 8621 §4.1.4. A message
 * whose only text has a file name and stands behind a file shows that text.
 */
export const bodyLists = (structure: BodyPart): BodyLists => {
  const [text, html, attachments]: [BodyPart[], BodyPart[], BodyPart[]] = [[], [], []];
  addParts({ ...structure, subParts: [structure] }, 'mixed', false, { text, html, attachments });
  const only = text.some(isText) || html.some(isText) ? -1 : attachments.findIndex((part) => isText(part) && part.disposition !== 'attachment');
  if (only >= 0) {
    const [part] = attachments.splice(only, 1);
    text.push(part!);
    html.push(part!);
  }
  return { textBody: text, htmlBody: html, attachments };
};

/** The leaves that a client shows or processes though they are in `attachments`: inline images, those of HTML, and alternatives. */
const shownElsewhere = ({ type, subParts = [] }: BodyPart): readonly BodyPart[] =>
  subParts.flatMap((part) => {
    if (part.subParts) return shownElsewhere(part);
    const isImageOfHtml = type === 'multipart/related' && part.cid !== undefined && part.disposition !== 'attachment';
    const isShown = isMedia(part.type) ? part.disposition === 'inline' || isImageOfHtml : part.disposition === 'inline' && type === 'multipart/alternative';
    return isShown ? [part] : [];
  });

/**
 * The property `hasAttachment` (RFC 8621 §4.1.4): whether the message has an attachment that is not shown inline. A file
 * that no body shows is one, whatever its disposition.
 */
export const hasAttachment = (structure: BodyPart): boolean => {
  const shown = new Set(shownElsewhere(structure));
  return bodyLists(structure).attachments.some((part) => !shown.has(part));
};
