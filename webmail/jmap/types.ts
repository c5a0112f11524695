/** The parts of JMAP (RFC 8620, RFC 8621) that the web mail reads, by their names on the wire. */
export type Id = string;

export type Session = {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly accounts: Readonly<Record<Id, Account>>;
  readonly primaryAccounts: Readonly<Record<string, Id>>;
  readonly username: string;
  readonly apiUrl: string;
  readonly downloadUrl: string;
  readonly uploadUrl: string;
  readonly eventSourceUrl: string;
  readonly state: string;
};
export type Account = {
  readonly name: string;
  readonly isPersonal: boolean;
  readonly isReadOnly: boolean;
  readonly accountCapabilities?: Readonly<Record<string, unknown>>;
};

export type MailboxRights = {
  readonly mayReadItems: boolean;
  readonly mayAddItems: boolean;
  readonly mayRemoveItems: boolean;
  readonly maySetSeen: boolean;
  readonly maySetKeywords: boolean;
  readonly mayCreateChild: boolean;
  readonly mayRename: boolean;
  readonly mayDelete: boolean;
};
export type Mailbox = {
  readonly id: Id;
  readonly name: string;
  readonly parentId: Id | null;
  readonly role: string | null;
  readonly sortOrder: number;
  readonly totalEmails: number;
  readonly unreadEmails: number;
  readonly totalThreads: number;
  readonly unreadThreads: number;
  readonly myRights: MailboxRights;
  readonly isSubscribed: boolean;
};

export type EmailAddress = { readonly name: string | null; readonly email: string };
export type Thread = { readonly id: Id; readonly emailIds: readonly Id[] };

/** What a list shows of an Email. */
export type Email = {
  readonly id: Id;
  readonly blobId: Id;
  readonly threadId: Id;
  readonly mailboxIds: Readonly<Record<Id, boolean>>;
  readonly keywords: Readonly<Record<string, boolean>>;
  readonly receivedAt: string;
  readonly from: readonly EmailAddress[] | null;
  readonly to: readonly EmailAddress[] | null;
  readonly subject: string | null;
  readonly hasAttachment: boolean;
  readonly preview: string;
  readonly size: number;
};

export type BodyPart = {
  readonly partId: string | null;
  readonly blobId: Id | null;
  readonly size: number;
  readonly name: string | null;
  readonly type: string;
  readonly charset: string | null;
  readonly disposition: string | null;
  readonly cid: string | null;
  readonly 'header:Content-Type': string | null;
};
export type BodyValue = { readonly value: string; readonly isEncodingProblem: boolean; readonly isTruncated: boolean };

/** What reading shows of an Email beside {@link Email}. It never changes (RFC 8621 §4). */
export type EmailBody = {
  readonly id: Id;
  readonly cc: readonly EmailAddress[] | null;
  readonly bcc: readonly EmailAddress[] | null;
  readonly replyTo: readonly EmailAddress[] | null;
  readonly messageId: readonly string[] | null;
  readonly inReplyTo: readonly string[] | null;
  readonly references: readonly string[] | null;
  readonly sentAt: string | null;
  readonly textBody: readonly BodyPart[];
  readonly htmlBody: readonly BodyPart[];
  readonly attachments: readonly BodyPart[];
  readonly bodyValues: Readonly<Record<string, BodyValue>>;
  /** Results of checks of the sender (RFC 8601), the last server's first. */
  readonly 'header:Authentication-Results:asText:all': readonly string[] | null;
  readonly 'header:DKIM-Signature:asText:all': readonly string[] | null;
  readonly 'header:List-Unsubscribe:asURLs': readonly string[] | null;
  readonly 'header:List-Unsubscribe-Post:asText': string | null;
  readonly 'header:List-Post:asURLs': readonly string[] | null;
  /** Where replies to all go, as the sender asks (the field of mailing lists, draft-ietf-drums-mail-followup-to). */
  readonly 'header:Mail-Followup-To:asAddresses': readonly EmailAddress[] | null;
};

/** An address that the person sends from (RFC 8621 §6). */
export type Identity = {
  readonly id: Id;
  readonly name: string;
  readonly email: string;
  readonly replyTo: readonly EmailAddress[] | null;
  readonly bcc: readonly EmailAddress[] | null;
  readonly textSignature: string;
  readonly htmlSignature: string;
};

/** A limit of the account (RFC 9425 §4). */
export type Quota = { readonly id: Id; readonly resourceType: string; readonly scope: string; readonly used: number; readonly hardLimit: number };

/** Where an account forwards its mail (docs/specification.md#the-jmap-type-forwarding). */
export type Forwarding = { readonly addresses: readonly string[]; readonly keepsCopy: boolean; readonly unconfirmed: readonly string[] };

/** The automatic response of an account to those who write to it (RFC 8621 §8). */
export type VacationResponse = {
  readonly isEnabled: boolean;
  readonly fromDate: string | null;
  readonly toDate: string | null;
  readonly subject: string | null;
  readonly textBody: string | null;
  readonly htmlBody: string | null;
};

export type GetResponse<T> = { readonly state: string; readonly list: readonly T[]; readonly notFound: readonly Id[] };
export type ChangesResponse = {
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: readonly Id[];
  readonly updated: readonly Id[];
  readonly destroyed: readonly Id[];
};
export type QueryResponse = {
  readonly queryState: string;
  readonly canCalculateChanges: boolean;
  readonly position: number;
  readonly ids: readonly Id[];
  readonly total?: number;
};
export type QueryChangesResponse = {
  readonly newQueryState: string;
  readonly total?: number;
  readonly removed: readonly Id[];
  readonly added: readonly { readonly id: Id; readonly index: number }[];
};

/** Conditions for Emails (RFC 8621 §4.4.1). */
export type FilterCondition = {
  readonly inMailbox?: Id;
  readonly inMailboxOtherThan?: readonly Id[];
  readonly before?: string;
  readonly after?: string;
  readonly minSize?: number;
  readonly maxSize?: number;
  readonly hasKeyword?: string;
  readonly notKeyword?: string;
  readonly hasAttachment?: boolean;
  readonly text?: string;
  readonly from?: string;
  readonly to?: string;
  readonly cc?: string;
  readonly bcc?: string;
  readonly subject?: string;
  readonly body?: string;
};
export type EmailFilter = FilterCondition | { readonly operator: 'AND' | 'OR' | 'NOT'; readonly conditions: readonly EmailFilter[] };

/** The parts of an Email that match a search, with the words in `<mark>` (RFC 8621 §5). */
export type SearchSnippet = { readonly emailId: Id; readonly subject: string | null; readonly preview: string | null };

export type SetError = { readonly type: string; readonly description?: string };
export type SetResponse = {
  readonly newState: string;
  readonly created?: Readonly<Record<Id, { readonly id: Id }>> | null;
  readonly updated?: Readonly<Record<Id, unknown>> | null;
  readonly destroyed?: readonly Id[] | null;
  readonly notCreated?: Readonly<Record<Id, SetError>> | null;
  readonly notUpdated?: Readonly<Record<Id, SetError>> | null;
  readonly notDestroyed?: Readonly<Record<Id, SetError>> | null;
};
export type CreateResponse = {
  readonly created: Readonly<Record<string, { readonly id: Id }>> | null;
  readonly notCreated: Readonly<Record<string, SetError>> | null;
};
