/** The encoding of a file in UTF-16, known by its byte order mark or by its first character, which is ASCII. */
export const utf16Of = ([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (second === undefined) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined;
};
