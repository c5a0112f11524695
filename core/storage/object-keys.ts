/** Where things are in the mail bucket; the first word of a key decides how long it is kept (lifecycle rules in `lib/`). */
export const objectKeys = {
  /** The raw message as SES put it there; short-lived: what is delivered has a copy of its own. */
  inbound: (messageId: string) => `inbound/${messageId}`,
  /** An account's copy of a raw message, by the key that its blob ids carry. */
  message: (accountId: string, key: string) => `messages/${accountId}/${key}`,
  /** An upload, by the digest of its content; it expires while nothing uses it. */
  upload: (accountId: string, key: string) => `uploads/${accountId}/${key}`,
  /** A decoded part that is too large for a Lambda's answer, by its blob id; can be made again at any time. */
  download: (accountId: string, blobId: string) => `downloads/${accountId}/${blobId}`,
} as const;

/** Where an account's objects are: every key of one begins with one of these. */
export const accountFolders = (accountId: string): readonly string[] =>
  [objectKeys.message, objectKeys.upload, objectKeys.download].map((keyOf) => keyOf(accountId, ''));
