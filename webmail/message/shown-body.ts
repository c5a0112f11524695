import type { MailContext } from '../context/mail-context.ts';
import type { BodyPart, EmailBody } from '../jmap/types.ts';
import { roughText, valueOf } from './body-html.ts';
import { rasterTypes } from './save-file.ts';
import { formatOf, type TextFormat } from './text-blocks.ts';

/** Whether the receiving server found that a message did not come from the domain that it names (RFC 7489, RFC 8601). */
export const failsDmarc = (body: EmailBody): boolean => /\bdmarc=fail\b/i.test((body['header:Authentication-Results:asText:all']?.[0] ?? '').slice(0, 2000));

/** Maximum text parts that are shown. What a mailing list adds is one more; a mail of hundreds would hold the page. */
const maxTexts = 10;

/** A message as it is shown, by its HTML or by its text. */
export type ShownAs = 'html' | 'text';

const textParts = (body: EmailBody): readonly BodyPart[] => body.textBody.filter(({ type }) => type.startsWith('text/'));

export const textsOf = (body: EmailBody): readonly { readonly value: string; readonly format: TextFormat }[] =>
  textParts(body)
    .slice(0, maxTexts)
    .map((part) => ({ value: part.type === 'text/html' ? roughText(valueOf(body, part)) : valueOf(body, part), format: formatOf(part) }));

/** Whether a message is longer than what is shown of it. */
export const isCut = (body: EmailBody, how: ShownAs): boolean =>
  Object.values(body.bodyValues).some(({ isTruncated }) => isTruncated) || (how === 'text' && textParts(body).length > maxTexts);

/** The Content-IDs of images that HTML has in its text. The text is read once, however many there are. */
export const cidsIn = (html: string): ReadonlySet<string> => new Set(Array.from(html.matchAll(/cid:([^"'<>\s)&]{1,1000})/g), ([, cid]) => cid!));

/** The files of a message that are not in its text already. */
export const filesBeside = (body: EmailBody, how: ShownAs, shownCids: ReadonlySet<string>): readonly BodyPart[] =>
  body.attachments.filter(({ cid, disposition }) => how !== 'html' || disposition === 'attachment' || cid === null || !shownCids.has(cid));

export type InlineImages = {
  /** Fetches an inline image by its Content-ID. @returns a `blob:` URL; undefined when there is none. */
  readonly url: (cid: string) => Promise<string | undefined>;
  /** Drops the URLs. */
  readonly drop: () => void;
};

export const inlineImagesOf = (body: EmailBody, download: MailContext['download']): InlineImages => {
  const urls = new Map<string, Promise<string | undefined>>();
  return {
    url(cid) {
      const part = body.attachments.find((each) => each.cid === cid);
      if (!part || !rasterTypes.has(part.type)) return Promise.resolve(undefined);
      const known =
        urls.get(cid) ??
        download(part).then(
          (blob) => URL.createObjectURL(new Blob([blob], { type: part.type })),
          () => undefined,
        );
      urls.set(cid, known);
      return known;
    },
    drop: () => void Promise.all(urls.values()).then((all) => all.forEach((url) => url !== undefined && URL.revokeObjectURL(url))),
  };
};
