import type { NewPart } from './compose-message.ts';

/** The body of a message as a client states it in lists (RFC 8621 §4.6). */
type NewBody<Octets> = { readonly text?: NewPart<Octets>; readonly html?: NewPart<Octets>; readonly attachments: readonly NewPart<Octets>[] };

const multipart = <Octets>(subtype: string, subParts: readonly NewPart<Octets>[], parameters?: ReadonlyMap<string, string>): NewPart<Octets> => ({
  type: { value: `multipart/${subtype}`, ...(parameters && { parameters }) },
  fields: [],
  content: { subParts },
});

/** Whether the HTML displays the part itself, by its Content-ID or Content-Location (RFC 2387, RFC 2557). */
const isRelated = ({ cid, location, disposition }: NewPart<unknown>): boolean =>
  (cid !== undefined || location !== undefined) && (!disposition || disposition.value === 'inline');

/** The part with its disposition. The default is `attachment`, and within multipart/related `inline`. */
const withDisposition = <Octets>(part: NewPart<Octets>, value: string): NewPart<Octets> => (part.disposition ? part : { ...part, disposition: { value } });

/** An empty text, for a message without any body part. */
const emptyText: NewPart<never> = { type: { value: 'text/plain' }, fields: [], content: { text: '' } };

/**
 * The structure of a message with these parts: multipart/mixed with the body and the files; in it multipart/alternative
 * of text and HTML; and in that multipart/related of the HTML and its inline parts. Levels with a single part are left
 * out.
 */
export const bodyStructureOf = <Octets>({ text, html, attachments }: NewBody<Octets>): NewPart<Octets> => {
  const related = html ? attachments.filter(isRelated).map((part) => withDisposition(part, 'inline')) : [];
  const files = attachments.filter((part) => !html || !isRelated(part)).map((part) => withDisposition(part, 'attachment'));
  const shown = html && related.length > 0 ? multipart('related', [html, ...related], new Map([['type', 'text/html']])) : html;
  const body = text && shown ? multipart('alternative', [text, shown]) : (text ?? shown);
  if (files.length > 0) return multipart('mixed', [...(body ? [body] : []), ...files]);
  return body ?? emptyText;
};
