/** The uid of a card with a UUID of version 8 (RFC 9562 §5.8), derived from a SHA-256 digest. */
export const derivedUid = (digest: Buffer): string => {
  const hex = digest.toString('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
