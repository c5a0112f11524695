import PostalMime from 'postal-mime';

/** A message as a mail client reads it. */
export const readMessage = (raw: Buffer) => PostalMime.parse(raw);
