import type { BodyPart } from './parsed-email.ts';

/** The parts of a message as a client shows them (RFC 8621 §4.1.4): what to read as text, what to read as HTML, what to offer as a file. */
export type BodyLists = { readonly textBody: readonly BodyPart[]; readonly htmlBody: readonly BodyPart[]; readonly attachments: readonly BodyPart[] };

/** Lists that are filled on the way; a text or HTML list that is undefined takes no more parts. */
type Lists = { readonly text?: BodyPart[]; readonly html?: BodyPart[]; readonly attachments: BodyPart[] };

const isMedia = (type: string): boolean => /^(?:image|audio|video)\//.test(type);

/** Whether the part belongs into the body; `index` is its place in a multipart of that subtype. */
const isInline = (part: BodyPart, index: number, subtype: string): boolean =>
  part.disposition !== 'attachment'
  && (part.type === 'text/plain' || part.type === 'text/html' || isMedia(part.type))
  && (index === 0 || (subtype !== 'related' && (isMedia(part.type) || part.name === undefined)));

/** An inline part goes to the list of its kind within multipart/alternative, and to each open list elsewhere. */
const placeInline = (part: BodyPart, subtype: string, lists: Lists): void => {
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

/** Below an alternative, a text part closes the HTML list of what follows it here, and the other way round. */
const narrowed = (part: BodyPart, lists: Lists): Lists => ({
  text: part.type === 'text/html' ? undefined : lists.text,
  html: part.type === 'text/plain' ? undefined : lists.html,
  attachments: lists.attachments,
});

/** An alternative that has one kind only serves both. */
const shareWhatIsAlone = ({ text, html }: Lists, textBefore: number, htmlBefore: number): void => {
  if (!text || !html) return;
  const [newText, newHtml] = [text.slice(textBefore), html.slice(htmlBefore)];
  if (newText.length === 0) text.push(...newHtml);
  else if (newHtml.length === 0) html.push(...newText);
};

const place = (parts: readonly BodyPart[], subtype: string, inAlternative: boolean, given: Lists): void => {
  let lists = given;
  const [textBefore, htmlBefore] = [lists.text?.length ?? 0, lists.html?.length ?? 0];
  for (const [index, part] of parts.entries()) {
    if (part.subParts) {
      const inner = part.type.slice('multipart/'.length);
      place(part.subParts, inner, inAlternative || inner === 'alternative', lists);
    } else if (isInline(part, index, subtype)) {
      if (inAlternative && subtype !== 'alternative') lists = narrowed(part, lists);
      placeInline(part, subtype, lists);
    } else {
      lists.attachments.push(part);
    }
  }
  if (subtype === 'alternative') shareWhatIsAlone(lists, textBefore, htmlBefore);
};

/** `textBody`, `htmlBody` and `attachments` of a bodyStructure, by the algorithm that RFC 8621 §4.1.4 suggests. */
export const bodyLists = (structure: BodyPart): BodyLists => {
  const [text, html, attachments]: [BodyPart[], BodyPart[], BodyPart[]] = [[], [], []];
  place([structure], 'mixed', false, { text, html, attachments });
  return { textBody: text, htmlBody: html, attachments };
};

/** `hasAttachment`: something to download that the message does not show within its text (RFC 8621 §4.1.4). */
export const hasAttachment = (structure: BodyPart): boolean =>
  bodyLists(structure).attachments.some((part) => part.disposition !== 'inline');
