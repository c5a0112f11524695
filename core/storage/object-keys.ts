/** Keys of the mail bucket. Lifecycle rules in `lib/` depend on the first path segment. */
export const objectKeys = {
  /**
   * The raw message that SES stored for one receipt rule. Each rule that matches a recipient stores the message and
   * sends a notification, so each notification has a separate object. The object expires, because each account has a
   * copy.
   */
  inbound: (rule: string, messageId: string) => `inbound/${rule}/${messageId}`,
  /** An account's copy of a raw message. Blob ids contain `key`. */
  message: (accountId: string, key: string) => `messages/${accountId}/${key}`,
  /** An upload, by the digest of its content. It expires unless a record refers to it. */
  upload: (accountId: string, key: string) => `uploads/${accountId}/${key}`,
  /** A blob in the `media` of a ContactCard. Blob ids contain `key`. */
  media: (accountId: string, key: string) => `media/${accountId}/${key}`,
  /** The raw message of a submission, until it is sent. `none` is the folder for mail without an account. */
  outgoing: (accountId: string | undefined, submissionId: string) => `outgoing/${accountId ?? 'none'}/${submissionId}`,
  /** A snapshot of an account's index, by its name. Only the indexer writes and removes them. */
  snapshot: (accountId: string, name: string) => `snapshots/${accountId}/${name}`,
  /** A segment or a manifest of an account's search index, by its name. Only the indexer writes them. */
  search: (accountId: string, name: string) => `search/${accountId}/${name}`,
} as const;

/** Whether the object is one that SES stored. */
export const isInbound = (key: string): boolean => key.startsWith('inbound/');

/** The prefixes of all keys of an account's objects. */
export const accountFolders = (accountId: string): readonly string[] =>
  [objectKeys.message, objectKeys.upload, objectKeys.media, objectKeys.outgoing, objectKeys.snapshot, objectKeys.search].map((keyOf) => keyOf(accountId, ''));
