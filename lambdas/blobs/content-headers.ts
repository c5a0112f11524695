const token = '[A-Za-z0-9!#$%&\'*+.^_`|~-]+';
const mediaType = new RegExp(`^${token}/${token}(?: *; *${token}=(?:${token}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`);

/** A media type with its parameters (RFC 9110 §8.3.1), and nothing that could be the end of a header field. */
export const isMediaType = (text: string): boolean => text.length <= 255 && mediaType.test(text);

/** What `encodeURIComponent` leaves and RFC 8187 §3.2.1 does not. */
const extendedValue = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** A file name without what a file system or a header would make something else of; lone surrogates have no encoding. */
const harmless = (name: string): string => name.toWellFormed().replaceAll(/[\p{Cc}/\\\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '_').slice(0, 255).toWellFormed().trim();

/**
 * `Content-Disposition` for a download under that name (RFC 6266): a plain one for everybody, and the name itself (RFC 8187) when that says less.
 * Only printable ASCII comes out, whatever went in.
 */
export const attachmentNamed = (name: string): string => {
  const fileName = harmless(name) || 'download';
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["%]/gu, '_');
  return plain === fileName ? `attachment; filename="${plain}"` : `attachment; filename="${plain}"; filename*=UTF-8''${extendedValue(fileName)}`;
};
