import type { MessageFile } from '../context/composers.ts';
import type { BodyPart, Email, EmailBody } from '../jmap/types.ts';
import { fileName } from '../message/file-name.ts';
import type { DraftPart } from './draft.ts';
import { isWritableId, oneLine } from './header-text.ts';

const unescaped = (text: string): string => {
  const plain = text.replaceAll('&amp;', '&');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
};

/** The Content-IDs of the images that HTML shows. */
export const shownCids = (html: string): ReadonlySet<string> =>
  new Set(Array.from(html.matchAll(/(?:\bcid:|\bdata-cid=["'])([^"'<>\s)]{1,1000})/gi), ([, cid = '']) => [cid, unescaped(cid)]).flat());

const mediaType = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/** A media type that a file can have. A multipart is none: it has parts instead of a blob. */
export const fileType = (type: string): string => (mediaType.test(type) && !/^multipart\//i.test(type) ? type.toLowerCase() : 'application/octet-stream');

/** Maximum characters of a name, of which each may take three octets of the 1,024 that the server keeps. */
const maxName = 300;

export const partName = (name: string | null): string | null =>
  oneLine((name ?? '').slice(0, maxName))
    .trim()
    .slice(0, maxName) || null;

/** The files of a message, also the images between its texts, which are in no list of attachments (RFC 8621 §4.1.4). */
const filesOf = ({ attachments, textBody, htmlBody }: EmailBody): readonly BodyPart[] => {
  const between = [...textBody, ...htmlBody].filter(({ type }) => type !== 'text/plain' && type !== 'text/html');
  return [...new Map([...attachments, ...between].map((part) => [part.partId ?? part.blobId, part])).values()];
};

/** An image that programs show within HTML. SVG is a document, and remains a file that everybody sees. */
const isImage = (type: string): boolean => /^image\/(?!svg)/i.test(type);

/** The files of a message for another one, of which those have a Content-ID that the HTML shows. */
export const partsOf = (body: EmailBody, html: string | undefined): readonly DraftPart[] => {
  const unused = new Set(shownCids(html ?? ''));
  return filesOf(body).flatMap(({ blobId, type, name, size, cid }) => {
    if (blobId === null) return [];
    const isShown = cid !== null && isImage(type) && isWritableId(cid) && unused.delete(cid);
    return [{ blobId, type: fileType(type), name: partName(name), size, cid: isShown ? cid : null }];
  });
};

/** A whole message as a file. */
export const asFile = ({ blobId, size, subject }: Email): DraftPart => ({
  blobId,
  type: 'message/rfc822',
  name: `${fileName(
    oneLine(subject ?? '')
      .trim()
      .slice(0, 100),
  )}.eml`,
  size,
  cid: null,
});

/** The file of a message that is attached to another one. Undefined for a multipart, which has no octets of its own. */
export const attachedPart = (file: MessageFile): DraftPart | undefined => {
  if ('email' in file) return asFile(file.email);
  const { blobId, type, name, size } = file.part;
  return blobId === null ? undefined : { blobId, type: fileType(type), name: partName(name), size, cid: null };
};
