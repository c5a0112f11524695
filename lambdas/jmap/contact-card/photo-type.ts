import type { photoTypes } from '../../../contract/jmap/contact-card.ts';

type PhotoType = (typeof photoTypes)[number];

/** The first octets of image files, in Latin-1. A dot stands for any octet. */
const signatures: readonly (readonly [pattern: RegExp, type: PhotoType])[] = [
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^\x89PNG/, 'image/png'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^BM[\s\S]{4}\0\0\0\0/, 'image/bmp'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  [/^[\s\S]{4}ftypavi[fs]/, 'image/avif'],
  [/^[\s\S]{4}ftyp(?:hei[cxms]|hev[cmx]|mif1|msf1)/, 'image/heic'],
];

/** The type of an image. @returns undefined for other content. */
export const photoTypeOf = (content: Buffer): PhotoType | undefined => {
  const start = content.toString('latin1', 0, 16);
  return signatures.find(([pattern]) => pattern.test(start))?.[1];
};
