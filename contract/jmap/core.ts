import { maxSubmissionMessageBytes } from '../deployment/sending.ts';

/**
 * JMAP's limits, capabilities and error types (RFC 8620, RFC 8621). The session contains the limits for which a
 * capability has a property. The server enforces every limit of this file except `maxConcurrentRequests` and
 * `maxConcurrentUpload`, which clients have to respect (docs/specification.md#jmap-limits).
 */

/** The core capability's properties (RFC 8620 §2), as the session contains them. */
export const coreLimits = {
  /** Maximum octets of one upload. A Lambda event has at most 6 MB, and API Gateway encodes the body as base64. */
  maxSizeUpload: 4_500_000,
  /** Maximum concurrent uploads. Not enforced, because a Lambda does not know of other uploads at the same time. */
  maxConcurrentUpload: 4,
  /** Maximum octets of one API request. */
  maxSizeRequest: 5_000_000,
  /** Maximum concurrent requests. Not enforced, like `maxConcurrentUpload`. */
  maxConcurrentRequests: 8,
  maxCallsInRequest: 32,
  maxObjectsInGet: 5000,
  maxObjectsInSet: 500,
  /** Collations that a Comparator may name (RFC 4790). */
  collationAlgorithms: ['i;ascii-numeric', 'i;ascii-casemap', 'i;unicode-casemap'],
} as const;

/** A limit of a whole request. A request that exceeds it fails with a problem of type `limit` (RFC 8620 §3.6.1). */
export type RequestLimit =
  | 'maxSizeRequest'
  | 'maxDepthRequest'
  | 'maxCallsInRequest'
  | 'maxSizeUpload'
  | 'maxSizeUploadsPerDay'
  | 'maxSockets'
  | 'maxSocketFrames';

/** Limits for which no JMAP capability has a property. */
export const unadvertisedLimits = {
  /**
   * Maximum ids in one /query response. When a request's `limit` is larger, the response contains the applied limit
   * (RFC 8620 §5.5).
   */
  maxIdsInQuery: 5000,
  /**
   * Maximum created, updated and destroyed ids in one /changes response. `hasMoreChanges` tells that there are more
   * (RFC 8620 §5.2).
   */
  maxIdsInChanges: 5000,
  /**
   * Maximum removed and added ids in one /queryChanges response. A call with more changes fails with tooManyChanges
   * (RFC 8620 §5.6).
   */
  maxChangesInQueryChanges: 50_000,
  /** Maximum levels of lists and objects in a request. */
  maxDepthRequest: 128,
  /** Maximum tokens of the path in a result reference (RFC 8620 §3.7) or in a patch (RFC 8620 §5.3). */
  maxPathTokens: 16,
  /** Maximum paths in the patch of one record. */
  maxPathsInPatch: 1000,
  /** Maximum characters of the values of all result references in a request, as JSON. */
  maxSizeReferences: 5_000_000,
  /** Maximum depth of nested operators in a filter. */
  maxFilterDepth: 16,
  /** Maximum nodes of a filter: its operators, the properties of its conditions, and the elements of their lists. */
  maxFilterNodes: 500,
  /** Maximum nodes of the filters in all calls of a request. */
  maxFilterNodesInRequest: 2000,
  /** Maximum words in the texts of all filters of a request. A prefix counts as 25 more. */
  maxSearchTermsInRequest: 500,
  /**
   * Maximum octets that the filters of a request read, to verify phrases and to search Emails that are not indexed yet.
   */
  maxSearchOctetsInRequest: 64_000_000,
  /** Maximum Emails that are not indexed yet and that the filters of a request read. */
  maxUnindexedEmailsInRequest: 500,
  /** Maximum Comparators of a sort. */
  maxSortKeys: 8,
  /** Maximum names in `properties` of a /get, and in `bodyProperties`, including header fields. */
  maxPropertiesInGet: 128,
  /** Maximum Emails whose content the calls of a request read from the table. Emails in memory are not counted. */
  maxEmailContentsInRequest: 10_000,
  /**
   * Maximum raw messages that a request reads, for header fields, body values, snippets, imports and Email/parse, or
   * copies.
   */
  maxRawMessagesInRequest: 1000,
  /**
   * Maximum octets of raw messages that the calls of a request read from S3. For header fields and body values only a
   * part of a message is read, for Email/import and Email/parse the whole message. Each read counts as 32 KB more.
   * Octets for snippets count four times.
   */
  maxRawOctetsInRequest: 64_000_000,
  /** Maximum blobs that the Blob methods and the Email creations of a request name, or that the Blob methods create. */
  maxBlobsInRequest: 1000,
  /**
   * Maximum octets that the Blob methods of a request read from S3. A part in base64 is read whole. Each read counts as
   * 32 KB more.
   */
  maxBlobOctetsInRequest: 100_000_000,
  /**
   * Maximum octets of the encoded messages that the Email creations of a request compose. The creation that exceeds the
   * limit is refused. Each blob in a message counts as 32 KB more.
   */
  maxComposedOctetsInRequest: 64_000_000,
  /**
   * The limit of octets that are uploaded to an account in a day (UTC) is the account's limit of octets, but not less
   * than this: a message of the maximum size in pieces, and the blob that Blob/upload joins from them.
   */
  maxSizeUploadsPerDay: 80_000_000,
  /** Maximum Mailboxes of an account. */
  maxMailboxes: 4000,
  /** Maximum octets of one body value in Email/get. A longer value is truncated (RFC 8621 §4.1.4). */
  maxSizeBodyValue: 2_000_000,
  /** Maximum octets of a Lambda response, as JSON text. */
  maxSizeResponse: 6_000_000,
  /**
   * Maximum octets of one WebSocket message in either direction, which is the maximum of API Gateway. A client must
   * split messages of more than 32 KB into several frames. API Gateway closes the connection with code 1009 after a
   * larger message or frame, and the Lambda does not receive it.
   */
  maxSizeWebSocketMessage: 128 * 1024,
} as const;

/** Capability URIs. The URI of subscriptions over WebSocket contains the mail domain: {@link webSocketSubscriptionCapability}. */
export const capability = {
  core: 'urn:ietf:params:jmap:core',
  mail: 'urn:ietf:params:jmap:mail',
  submission: 'urn:ietf:params:jmap:submission',
  /** The capability of Quotas (RFC 9425). */
  quota: 'urn:ietf:params:jmap:quota',
  /** The capability of VacationResponses (RFC 8621 §1.3.3). */
  vacationResponse: 'urn:ietf:params:jmap:vacationresponse',
  /** The capability of Forwardings, an extension of ours. */
  forwarding: 'urn:postrider:jmap:forwarding',
  /** The capability of AddressBooks and ContactCards (RFC 9610). */
  contacts: 'urn:ietf:params:jmap:contacts',
  /** The capability of Blob methods (RFC 9404). */
  blob: 'urn:ietf:params:jmap:blob',
  /** The capability of JMAP over WebSocket (RFC 8887). */
  webSocket: 'urn:ietf:params:jmap:websocket',
  /** The capability of Web Push with VAPID (RFC 9749). */
  webPushVapid: 'urn:ietf:params:jmap:webpush-vapid',
} as const;
export type Capability = (typeof capability)[keyof typeof capability];

/** The URI of the capability of `subscribe` and `unsubscribe` frames (docs/specification.md#session). */
export const webSocketSubscriptionCapability = (mailDomain: string) => `https://${mailDomain}/jmap/websocket`;

/** The value of {@link webSocketSubscriptionCapability} (docs/specification.md#websocket). */
export const webSocketSubscriptionLimits = { maxSubscriptions: 10 } as const;

/** Limits of an account's mail capability (RFC 8621 §1.3.1). */
export const mailLimits = {
  maxMailboxesPerEmail: 100,
  maxMailboxDepth: 10,
  /** Maximum octets of a Mailbox name in UTF-8. */
  maxSizeMailboxName: 255,
  /**
   * Maximum octets of all attachments of one Email before encoding: the 40 MB of SES, without base64 overhead and
   * headers.
   */
  maxSizeAttachmentsPerEmail: 25_000_000,
} as const;
/** Limits of an account's blob capability (RFC 9404 §3.1). */
export const blobLimits = {
  /** Maximum octets of a blob that Blob/upload creates: a message that can be sent. */
  maxSizeBlobSet: maxSubmissionMessageBytes,
  /** Maximum data sources of one blob. */
  maxDataSources: 256,
} as const;

/** Limits of Emails for which the mail capability has no property. */
export const emailLimits = {
  maxKeywordsPerEmail: 100,
  /** Maximum octets of the raw message of an Email that Email/set creates: a message that can be sent. */
  maxSizeEmail: maxSubmissionMessageBytes,
  /** Maximum body parts of an Email that Email/set creates, including multiparts, and maximum levels of multiparts. */
  maxBodyPartsPerEmail: 400,
  maxBodyPartDepth: 12,
  /**
   * Maximum header fields, and maximum octets of header fields, that Email/set writes into the header of a message or
   * of a part.
   */
  maxHeaderFieldsPerPart: 1000,
  maxSizeHeaderPerPart: 500_000,
  /**
   * Maximum Emails that are added to one Thread, including destroyed ones. The next message of the Thread begins a new
   * one.
   */
  maxEmailsPerThread: 1000,
} as const;

/** Limits of full-text search (`docs/specification.md#search`). */
export const searchLimits = {
  /** Maximum words in the text of one filter condition, including those of phrases. */
  maxSearchTerms: 100,
  /** Maximum UTF-16 units of a word that are compared. Only the beginning of a longer word is searched. */
  maxSearchTermLength: 64,
  /** Maximum words and phrases of a filter that SearchSnippet/get marks. */
  maxSnippetPhrases: 32,
  /** Maximum octets, in UTF-8, of an Email's body texts that are searched. */
  maxSizeSearchedText: 262_144,
  /** Maximum octets of the raw message's text parts that are searched, counted with their encoding and HTML. */
  maxSizeSearchedParts: 4_194_304,
  /**
   * Maximum octets of the raw message's attached messages that are searched. Usually their text precedes their files.
   */
  maxSizeSearchedMessages: 524_288,
  /** Maximum levels of nested messages that are searched. */
  maxDepthSearchedMessages: 4,
  /** Maximum attached messages of an Email that are searched, at all levels. */
  maxSearchedMessages: 400,
  /** Maximum different texts of `alt` and `title` in the HTML of an Email that are searched. */
  maxSearchedAttributes: 1000,
  /** Maximum octets of the raw message's header that the condition `header` searches. */
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
  /** The name of the exceeded limit. Present only with type `limit`. */
  readonly limit?: RequestLimit;
};

/** Types of method-level errors (RFC 8620 §3.6.2, §5; RFC 9404 §4.3). */
export const methodErrorTypes = [
  'serverUnavailable',
  'serverFail',
  'serverPartialFail',
  'unknownMethod',
  'invalidArguments',
  'invalidResultReference',
  'forbidden',
  'accountNotFound',
  'accountNotSupportedByMethod',
  'accountReadOnly',
  'requestTooLarge',
  'cannotCalculateChanges',
  'stateMismatch',
  'anchorNotFound',
  'fromAccountNotFound',
  'fromAccountNotSupportedByMethod',
  'unsupportedSort',
  'unsupportedFilter',
  'tooManyChanges',
  'unknownDataType',
] as const;
export type MethodErrorType = (typeof methodErrorTypes)[number];

/** Types of SetErrors: errors of one record in a /set (RFC 8620 §5.3; RFC 8621 §2.5, §4.6, §6.3, §7.5; RFC 9610 §2.3). */
export const setErrorTypes = [
  'forbidden',
  'overQuota',
  'tooLarge',
  'rateLimit',
  'notFound',
  'invalidPatch',
  'willDestroy',
  'invalidProperties',
  'singleton',
  'alreadyExists',
  'mailboxHasChild',
  'mailboxHasEmail',
  'addressBookHasContents',
  'blobNotFound',
  'tooManyKeywords',
  'tooManyMailboxes',
  'invalidEmail',
  'forbiddenToSend',
  'forbiddenFrom',
  'forbiddenMailFrom',
  'tooManyRecipients',
  'noRecipients',
  'invalidRecipients',
  'cannotUnsend',
] as const;
export type SetErrorType = (typeof setErrorTypes)[number];
