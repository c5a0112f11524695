/** Mail addresses, and tokens as they are made of three base64url parts or stand in a header. */
const telling = /[^\s"'<>(),:;\\[\]=/?&@]{1,64}@[^\s"'<>(),:;\\[\]=/?&@]{1,253}\.[\p{L}\p{N}-]{1,63}|\beyJ[\w-]{1,1000}\.[\w-]{1,8000}\.[\w-]*|\b(?:Bearer|Basic)\s{1,8}[\w.~+/=-]{8,}/giu;

/**
 * A line without what does not belong into a log. Ours keep to ids and counts; a library's exception, which the runtime writes down as it is,
 * may not.
 */
export const redacted = (line: string): string => line.replace(telling, '[redacted]');
