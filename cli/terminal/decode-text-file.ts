import { utf16Of } from '../../contract/values/utf16.ts';
import { decodeUnlabeledText } from '../../core/mime/encoding/charset.ts';

/** The text of a file, and whether Windows-1252 was assumed. */
type DecodedFile = { readonly text: string; readonly isLatin1: boolean };

/** Decodes a text file in UTF-8, in UTF-16, or, if it is neither, in Windows-1252, without a byte order mark. */
export const decodeTextFile = (file: Uint8Array): DecodedFile => {
  const utf16 = utf16Of(file);
  if (utf16) return { text: new TextDecoder(utf16).decode(file), isLatin1: false };
  const { text, isEncodingProblem } = decodeUnlabeledText(file);
  return { text, isLatin1: isEncodingProblem };
};
