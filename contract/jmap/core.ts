/**
 * JMAP's limits, capabilities and error types (RFC 8620, RFC 8621). The session advertises the limits that a capability
 * has a property for. The server enforces every limit of this file but `maxConcurrentRequests` and
 * `maxConcurrentUpload`, which are for clients to keep (docs/specification.md#jmap-limits).
 */

/** The core capability's properties (RFC 8620 §2), as the session contains them. */
export const coreLimits = {
  /** Octets of one upload. A Lambda event has 6 MB at most, and API Gateway encodes the body as base64. */
  maxSizeUpload: 4_500_000,
  /** Not enforced: a Lambda does not know of the uploads that run at the same time. */
  maxConcurrentUpload: 4,
  /** Octets of one API request. */
  maxSizeRequest: 5_000_000,
  /** Not enforced, like `maxConcurrentUpload`. */
  maxConcurrentRequests: 8,
  maxCallsInRequest: 32,
  maxObjectsInGet: 5000,
  maxObjectsInSet: 500,
  /** Collations that a Comparator may name (RFC 4790). */
  collationAlgorithms: ['i;ascii-numeric', 'i;ascii-casemap', 'i;unicode-casemap'],
} as const;

/** A limit of a whole request. A request that exceeds it fails with a problem of type `limit` (RFC 8620 §3.6.1). */
export type RequestLimit =
  'maxSizeRequest' | 'maxDepthRequest' | 'maxCallsInRequest' | 'maxSizeUpload' | 'maxSockets' | 'maxSocketFrames';

/** Limits that no JMAP capability has a property for. */
export const unadvertisedLimits = {
  /** Ids in one /query response. A response to a larger `limit` names this one (RFC 8620 §5.5). */
  maxIdsInQuery: 5000,
  /**
   * Created, updated and destroyed ids in one /changes response; `hasMoreChanges` says that there are more (RFC 8620
   * §5.2).
   */
  maxIdsInChanges: 5000,
  /** Removed and added ids in one /queryChanges response. Beyond, it fails with tooManyChanges (RFC 8620 §5.6). */
  maxChangesInQueryChanges: 50_000,
  /** Levels of lists and objects in a request. */
  maxDepthRequest: 128,
  /** Tokens of a path: of a result reference (RFC 8620 §3.7), or in a patch (RFC 8620 §5.3). */
  maxPathTokens: 16,
  /** Paths in the patch of one record. */
  maxPathsInPatch: 1000,
  /** Characters of the values of all result references of a request, as JSON. */
  maxSizeReferences: 5_000_000,
  /** Depth of nested operators in a filter. */
  maxFilterDepth: 16,
  /** Nodes of a filter: its operators, the properties of its conditions, and the elements of their lists. */
  maxFilterNodes: 500,
  /** Nodes of the filters of all calls of a request. */
  maxFilterNodesInRequest: 2000,
  /** Words in the texts of all filters of a request. A prefix counts as 25 more. */
  maxSearchTermsInRequest: 500,
  /** Octets that the filters of a request read, to verify phrases and to search Emails that are not indexed yet. */
  maxSearchOctetsInRequest: 64_000_000,
  /** Emails that are not indexed yet, and that the filters of a request read. */
  maxUnindexedEmailsInRequest: 500,
  /** Comparators of a sort. */
  maxSortKeys: 8,
  /** Names in `properties` of a /get, and in `bodyProperties`; each header field counts. */
  maxPropertiesInGet: 128,
  /** Maximum Emails of which the calls of a request read content that is not in memory. */
  maxEmailContentsInRequest: 10_000,
  /** Raw messages that a request reads, for header fields, body values, snippets, imports and Email/parse, or copies. */
  maxRawMessagesInRequest: 1000,
  /**
   * Octets of raw messages that the calls of a request read, in part for header fields and body values, and whole for
   * Email/import and Email/parse. Each read of the bucket counts as 32 KB more. Octets that a snippet is made of count
   * four times.
   */
  maxRawOctetsInRequest: 64_000_000,
  /** Blobs that the Blob methods of a request name or create, and that its creates of Emails name. */
  maxBlobsInRequest: 1000,
  /**
   * Octets of the bucket that the Blob methods of a request read. A part in base64 is read whole. Each read counts as 32
   * KB more.
   */
  maxBlobOctetsInRequest: 100_000_000,
  /**
   * Octets of the messages that the creates of a request compose, encoded, before the last one is refused. Each of their
   * blobs counts as 32 KB more.
   */
  maxComposedOctetsInRequest: 64_000_000,
  /** Mailboxes of an account. */
  maxMailboxes: 4000,
  /** Octets of one body value in Email/get; a longer one is truncated (RFC 8621 §4.1.4). */
  maxSizeBodyValue: 2_000_000,
  /** Decoded parts of an account that are stored for download at a time: those that a response cannot carry. */
  maxPreparedDownloads: 50,
  /** Octets of a Lambda response, as JSON text. */
  maxSizeResponse: 6_000_000,
  /**
   * Octets of one WebSocket message in either direction: the maximum of API Gateway. A client must split messages of
   * more than 32 KB into several frames. API Gateway closes the connection with code 1009 after a larger message or
   * frame, and the Lambda does not receive it.
   */
  maxSizeWebSocketMessage: 128 * 1024,
} as const;

/** Capability URIs. Postrider's own URI contains the mail domain: {@link webSocketSubscriptionCapability}. */
export const capability = {
  core: 'urn:ietf:params:jmap:core',
  mail: 'urn:ietf:params:jmap:mail',
  submission: 'urn:ietf:params:jmap:submission',
  /** RFC 9425. */
  quota: 'urn:ietf:params:jmap:quota',
  /** RFC 8621 §1.3.3. */
  vacationResponse: 'urn:ietf:params:jmap:vacationresponse',
  /** RFC 9404. */
  blob: 'urn:ietf:params:jmap:blob',
  /** RFC 8887. */
  webSocket: 'urn:ietf:params:jmap:websocket',
  /** RFC 9749. */
  webPushVapid: 'urn:ietf:params:jmap:webpush-vapid',
} as const;
export type Capability = (typeof capability)[keyof typeof capability];

/** The capability of `subscribe` and `unsubscribe` frames (docs/specification.md#session). */
export const webSocketSubscriptionCapability = (mailDomain: string) => `https://${mailDomain}/jmap/websocket`;

/** Value of {@link webSocketSubscriptionCapability} (docs/specification.md#websocket). */
export const webSocketSubscriptionLimits = { maxSubscriptions: 10 } as const;

/** Limits of an account's mail capability (RFC 8621 §1.3.1). */
export const mailLimits = {
  maxMailboxesPerEmail: 100,
  maxMailboxDepth: 10,
  /** Octets of UTF-8. */
  maxSizeMailboxName: 255,
  /** Octets of all attachments of one Email before encoding: the 40 MB of SES, without base64 overhead and headers. */
  maxSizeAttachmentsPerEmail: 25_000_000,
} as const;
/** Limits of an account's blob capability (RFC 9404 §3.1). */
export const blobLimits = {
  /** Octets of a blob that Blob/upload creates: a message of SES has 40 MB at most. */
  maxSizeBlobSet: 40_000_000,
  /** Data sources of one blob. */
  maxDataSources: 256,
} as const;

/** Limits of Emails that the mail capability has no property for. */
export const emailLimits = {
  maxKeywordsPerEmail: 100,
  /** Octets of the raw message of an Email that Email/set creates: the maximum of SES. */
  maxSizeEmail: 40_000_000,
  /** Body parts of an Email that Email/set creates, multiparts included, and levels of multiparts. */
  maxBodyPartsPerEmail: 400,
  maxBodyPartDepth: 12,
  /** Header fields that Email/set writes into the header of the message or of a part, and their octets. */
  maxHeaderFieldsPerPart: 1000,
  maxSizeHeaderPerPart: 500_000,
  /** Emails that are added to one Thread, destroyed ones included. The next message of the Thread begins a new one. */
  maxEmailsPerThread: 1000,
} as const;

/** Limits of full-text search (`docs/specification.md#search`). */
export const searchLimits = {
  /** Words in the text of one filter condition, those of phrases included. */
  maxSearchTerms: 100,
  /** UTF-16 units of a word that are compared. Of a longer word, search knows the beginning. */
  maxSearchTermLength: 64,
  /** Words and phrases of a filter that SearchSnippet/get marks. */
  maxSnippetPhrases: 32,
  /** Octets of UTF-8 of an Email's body texts that are searched. */
  maxSizeSearchedText: 262_144,
  /** Octets of the raw message's text parts, still encoded and with their HTML, that are searched. */
  maxSizeSearchedParts: 4_194_304,
  /** Octets of the raw message's attached messages that are searched. Their text is before their files, as a rule. */
  maxSizeSearchedMessages: 524_288,
  /** Maximum levels of nested messages that are searched. */
  maxDepthSearchedMessages: 4,
  /** Attached messages of an Email that are searched, of all levels. */
  maxSearchedMessages: 400,
  /** Different texts of `alt` and `title` in the HTML of an Email that are searched. */
  maxSearchedAttributes: 1000,
  /** Octets of the raw message's header that the condition `header` searches. */
  maxSizeSearchedHeaders: 65_536,
} as const;

/** Problem types of a request that fails as a whole (RFC 8620 §3.6.1). */
export const problemType = {
  unknownCapability: 'urn:ietf:params:jmap:error:unknownCapability',
  notJSON: 'urn:ietf:params:jmap:error:notJSON',
  notRequest: 'urn:ietf:params:jmap:error:notRequest',
  limit: 'urn:ietf:params:jmap:error:limit',
} as const;

/**
 * Problem details (RFC 7807). `type` is `about:blank` for statuses without a JMAP problem type, such as 401, 403 and
 * 404.
 */
export type Problem = {
  readonly type: string;
  readonly status: number;
  readonly title?: string;
  readonly detail: string;
  /** The limit's name; only with type `limit`. */
  readonly limit?: RequestLimit;
};

/** Types of method-level errors (RFC 8620 §3.6.2, §5; RFC 9404 §4.3). */
export const methodErrorTypes = [
  'serverUnavailable', 'serverFail', 'serverPartialFail', 'unknownMethod', 'invalidArguments', 'invalidResultReference', 'forbidden',
  'accountNotFound', 'accountNotSupportedByMethod', 'accountReadOnly', 'requestTooLarge', 'cannotCalculateChanges', 'stateMismatch',
  'anchorNotFound', 'fromAccountNotFound', 'fromAccountNotSupportedByMethod', 'unsupportedSort', 'unsupportedFilter', 'tooManyChanges',
  'unknownDataType',
] as const;
export type MethodErrorType = (typeof methodErrorTypes)[number];

/** Types of SetErrors: errors of one record in a /set (RFC 8620 §5.3; RFC 8621 §2.5, §4.6, §6.3, §7.5). */
export const setErrorTypes = [
  'forbidden', 'overQuota', 'tooLarge', 'rateLimit', 'notFound', 'invalidPatch', 'willDestroy', 'invalidProperties', 'singleton',
  'alreadyExists',
  'mailboxHasChild', 'mailboxHasEmail', 'blobNotFound', 'tooManyKeywords', 'tooManyMailboxes', 'invalidEmail',
  'forbiddenToSend', 'forbiddenFrom', 'forbiddenMailFrom', 'tooManyRecipients', 'noRecipients', 'invalidRecipients', 'cannotUnsend',
] as const;
export type SetErrorType = (typeof setErrorTypes)[number];
