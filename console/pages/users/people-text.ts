import { utf16Of } from '../../../contract/values/utf16.ts';

/** The most that one import takes. Each address of the file may need a call, and the page stays open meanwhile. */
export const importLimits = { octets: 1_000_000, rows: 1000 } as const;

/** The text of a file in UTF-8 or UTF-16, or, if it is neither, in Windows-1252, which is then noted. */
export const decodePeopleFile = (file: Uint8Array): { readonly text: string; readonly isLatin1: boolean } => {
  const encoding = utf16Of(file) ?? 'utf-8';
  try {
    return { text: new TextDecoder(encoding, { fatal: encoding === 'utf-8' }).decode(file), isLatin1: false };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(file), isLatin1: true };
  }
};
