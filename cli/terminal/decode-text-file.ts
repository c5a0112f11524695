import { decodeUnlabeledText } from '../../core/mime/encoding/charset.ts';

/** The text of a file, and whether Windows-1252 was assumed. */
type DecodedFile = { readonly text: string; readonly isLatin1: boolean };

/** The encoding of a file in UTF-16, known by its byte order mark or by its first character, which is ASCII. */
export const utf16Of = ([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (second === undefined) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined;
};

/** Decodes a text file in UTF-8, in UTF-16, or, if it is neither, in Windows-1252, without a byte order mark. */
export const decodeTextFile = (file: Uint8Array): DecodedFile => {
  const utf16 = utf16Of(file);
  if (utf16) return { text: new TextDecoder(utf16).decode(file), isLatin1: false };
  const { text, isEncodingProblem } = decodeUnlabeledText(file);
  return { text, isLatin1: isEncodingProblem };
};
