/** Roles of mailboxes that mail of another service is put into (RFC 8621 §2). */
export const folderRoles = ['inbox', 'archive', 'drafts', 'sent', 'junk', 'trash'] as const;
export type FolderRole = (typeof folderRoles)[number];

/** A folder of a source, as the names from the top. A role takes precedence over the names. */
export type SourceFolder = {
  readonly path: readonly string[];
  readonly role?: FolderRole;
  /**
   * The folder is a mailbox that was exported: its names are kept as they are. `topRole` is the role of the first
   * mailbox of the path, null when it has none, and undefined when the export does not say.
   */
  readonly exported?: { readonly topRole: FolderRole | null | undefined };
};

/** A message of a source. */
export type SourceMessage = {
  readonly kind: 'message';
  /** The message's place in the source, for a list of errors: a file, an offset or a UID. */
  readonly place: string;
  /** Identifies the message within all sources without its content; only where reading the content costs a transfer. */
  readonly locator?: string;
  readonly folders: readonly SourceFolder[];
  /** JMAP keywords (RFC 8621 §4.1.1). */
  readonly keywords: readonly string[];
  readonly receivedAt: Date;
  /** Octets. */
  readonly size: number;
  /** Undefined when the source was asked for no contents, and has not read them anyway. */
  readonly content: Buffer | undefined;
  /** How much of the source was read, in the unit of {@link MailSource.total}. */
  readonly done: number;
};

/** A message, or another item, that cannot be read. The source continues after it. */
type SourceProblem = { readonly kind: 'problem'; readonly place: string; readonly reason: string; readonly done: number };

export type SourceItem = SourceMessage | SourceProblem;

export type ReadOptions = {
  /** Maximum octets of a message; a larger one is a problem. */
  readonly maxMessageSize: number;
  /** Whether the message with this locator was imported before. Its content is not read. */
  readonly isKnown: (locator: string) => boolean;
  /** Whether contents may be left out, where reading them costs a transfer. */
  readonly withoutContents: boolean;
  readonly signal: AbortSignal;
};

/** Messages to import. Holds only a few messages in memory for a source of any size. */
export type MailSource = {
  /** The size of the source, for progress. */
  readonly total: { readonly unit: 'octets' | 'messages'; readonly amount: number };
  readonly read: (options: ReadOptions) => AsyncIterable<SourceItem>;
  readonly close: () => Promise<void>;
};

/** The problem of a message that is larger than an account takes. */
export const tooLargeReason = (size: number, maxMessageSize: number): string =>
  `the message has ${size} octets; the account takes messages of at most ${maxMessageSize}`;
