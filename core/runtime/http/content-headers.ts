const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const mediaType = new RegExp(`^${token}/${token}(?: *; *${token}=(?:${token}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`);

/**
 * Whether the text is a media type with optional parameters (RFC 9110 §8.3.1). Such a text is safe in a header field.
 */
export const isMediaType = (text: string): boolean => text.length <= 255 && mediaType.test(text);

/**
 * Percent-encodes the value of an extended parameter (RFC 8187 §3.2.1), which allows fewer characters than
 * `encodeURIComponent`.
 */
const extendedValue = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Control characters, path separators, line separators and direction overrides. */
const unsafe = /[\p{Cc}/\\\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * The file name with `_` for characters that are unsafe in a file system or a header. Lone surrogates become U+FFFD.
 */
const safeFileName = (name: string): string => name.toWellFormed().replaceAll(unsafe, '_').slice(0, 255).toWellFormed().trim();

/**
 * The `Content-Disposition` of a download with that file name (RFC 6266), in printable ASCII. A name with other
 * characters is also given as `filename*` (RFC 8187).
 */
export const attachmentDisposition = (name: string): string => {
  const fileName = safeFileName(name) || 'download';
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["%]/gu, '_');
  const disposition = `attachment; filename="${plain}"`;
  return plain === fileName ? disposition : `${disposition}; filename*=UTF-8''${extendedValue(fileName)}`;
};
