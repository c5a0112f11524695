/** Roles of the mailboxes into which imports put mail (RFC 8621 §2). */
export const folderRoles = ['inbox', 'archive', 'drafts', 'sent', 'junk', 'trash'] as const;
export type FolderRole = (typeof folderRoles)[number];

/** A folder of a source. `path` has the names from the top. A role takes precedence over the names. */
export type SourceFolder = {
  readonly path: readonly string[];
  readonly role?: FolderRole;
  /**
   * Present for a mailbox from an export, whose names are kept unchanged. `topRole` is the role of the first mailbox of
   * the path: null when it has none, undefined when the export does not say.
   */
  readonly exported?: { readonly topRole: FolderRole | null | undefined };
};

export type SourceMessage = {
  readonly kind: 'message';
  /** The message's place in the source for a list of errors: a file, an offset or a UID. */
  readonly place: string;
  /**
   * Identifies the message without its content, among the messages of all sources. Present only when reading the
   * content costs a transfer.
   */
  readonly locator?: string;
  readonly folders: readonly SourceFolder[];
  /** JMAP keywords (RFC 8621 §4.1.1). */
  readonly keywords: readonly string[];
  readonly receivedAt: Date;
  /** The octets of the message. */
  readonly size: number;
  /** The content. Undefined when the caller knows the message by its locator. */
  readonly content: Buffer | undefined;
  /** The amount of the source that was read, in the unit of {@link MailSource.total}. */
  readonly done: number;
};

/** A message or another item that cannot be read. Reading continues after it. */
type SourceProblem = { readonly kind: 'problem'; readonly place: string; readonly reason: string; readonly done: number };

/** Something for the report that is no failure: what has no mail and is left out, or a doubt about what was read. */
type SourceNote = { readonly kind: 'note'; readonly place: string; readonly reason: string; readonly done: number };

export type SourceItem = SourceMessage | SourceProblem | SourceNote;

export type ReadOptions = {
  /** Maximum octets of a message. A larger message is a problem. */
  readonly maxMessageSize: number;
  /** Whether the message with this locator was imported before. Then its content is not read. */
  readonly isKnown: (locator: string) => boolean;
  readonly signal: AbortSignal;
};

/** Messages to import. A source of any size holds only a few messages in memory. */
export type MailSource = {
  readonly total: { readonly unit: 'octets' | 'messages'; readonly amount: number };
  readonly read: (options: ReadOptions) => AsyncIterable<SourceItem>;
  readonly close: () => Promise<void>;
};

/** The folder for messages that are marked as deleted. */
export const trash: SourceFolder = { path: ['Trash'], role: 'trash' };

/** A date that JMAP can state, in the years 0 to 9999 (RFC 8620 §1.4). Undefined for another one, and for what is no date. */
export const statableDate = (date: unknown): Date | undefined =>
  date instanceof Date && !Number.isNaN(date.getTime()) && date.toISOString().length === 24 ? date : undefined;

/** The reason in the report for a message that exceeds the account's limit. */
export const tooLargeReason = (size: number, maxMessageSize: number): string =>
  `the message has ${size} octets; the account takes messages of at most ${maxMessageSize}`;

/**
 * Divides messages into groups that are transferred together. A message with more octets than a group forms its own
 * group.
 * @param limits maximum octets and maximum messages of a group.
 */
export const groupsOf = <Message>(
  messages: readonly Message[],
  sizeOf: (message: Message) => number,
  { octets, count = Infinity }: { readonly octets: number; readonly count?: number },
): Message[][] => {
  const groups: Message[][] = [];
  let room = 0;
  for (const message of messages) {
    const last = groups.at(-1);
    if (last && sizeOf(message) <= room && last.length < count) last.push(message);
    else {
      groups.push([message]);
      room = octets;
    }
    room -= sizeOf(message);
  }
  return groups;
};
