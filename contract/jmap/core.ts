/**
 * What every JMAP call shares (RFC 8620): limits, capabilities, error vocabularies. The session advertises from this file and the
 * protocol enforces from it: no limit stands anywhere else.
 */

/** The properties of the core capability (RFC 8620 §2), exactly as the session shows them. */
export const coreLimits = {
  /** Octets of one upload. A Lambda is called with 6 MB of JSON at most, and the gateway writes the body into it as base64. */
  maxSizeUpload: 4_500_000,
  maxConcurrentUpload: 4,
  /** Octets of one API request. */
  maxSizeRequest: 5_000_000,
  maxConcurrentRequests: 8,
  maxCallsInRequest: 32,
  maxObjectsInGet: 500,
  maxObjectsInSet: 500,
  /** RFC 4790 names; what a sort may be asked to compare by. */
  collationAlgorithms: ['i;ascii-numeric', 'i;ascii-casemap', 'i;unicode-casemap'],
} as const;

/** A limit of the request as a whole: exceeding it is a problem of type `limit` that names it (RFC 8620 §3.6.1). */
export type RequestLimit = 'maxSizeRequest' | 'maxCallsInRequest' | 'maxConcurrentRequests' | 'maxSizeUpload' | 'maxConcurrentUpload' | 'maxSocketFrames';

/** Limits that JMAP has no place to advertise in. */
export const unadvertisedLimits = {
  /** Ids in one /query response; a request for more is answered with this `limit` (RFC 8620 §5.5). */
  maxIdsInQuery: 5000,
  /** Ids in one /changes response, created, updated and destroyed together; more: `hasMoreChanges` (RFC 8620 §5.2). */
  maxIdsInChanges: 5000,
  /** Operators within operators in one filter. */
  maxFilterDepth: 16,
  /** Octets of one body value that Email/get sends; a longer one is truncated (RFC 8621 §4.1.4). */
  maxSizeBodyValue: 2_000_000,
  /** Octets that a Lambda may answer with, as the JSON text the gateway is given. */
  maxSizeResponse: 6_000_000,
  /**
   * Octets of one WebSocket message, either way: API Gateway carries no more. A client must send a longer one than 32 KB as several frames;
   * a longer message or frame ends its connection with code 1009 before we see it.
   */
  maxSizeWebSocketMessage: 128 * 1024,
} as const;

/** Capability URIs by the name we use for them. The service's own one depends on the deployment: {@link webSocketSubscriptionCapability}. */
export const capability = {
  core: 'urn:ietf:params:jmap:core',
  mail: 'urn:ietf:params:jmap:mail',
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

/** Limits of the mail capability of an account (RFC 8621 §1.3.1), and those of Email/set that it has no property for. */
export const mailLimits = {
  maxMailboxesPerEmail: 100,
  maxMailboxDepth: 10,
  /** Octets of UTF-8. */
  maxSizeMailboxName: 255,
  /** Octets of all attachments of one Email before encoding: 40 MB of SES, less base64 and headers. */
  maxSizeAttachmentsPerEmail: 25_000_000,
} as const;
export const emailLimits = { maxKeywordsPerEmail: 100 } as const;

/** Types of the problem details that refuse a whole request (RFC 8620 §3.6.1). */
export const problemType = {
  unknownCapability: 'urn:ietf:params:jmap:error:unknownCapability',
  notJSON: 'urn:ietf:params:jmap:error:notJSON',
  notRequest: 'urn:ietf:params:jmap:error:notRequest',
  limit: 'urn:ietf:params:jmap:error:limit',
} as const;

/** RFC 7807 problem details. `type` is `about:blank` where JMAP has no type of its own (401, 403, 404). */
export type Problem = {
  readonly type: string;
  readonly status: number;
  readonly title?: string;
  readonly detail: string;
  /** With type `limit`: the limit's name. */
  readonly limit?: RequestLimit;
};

/** Method-level errors (RFC 8620 §3.6.2, §5; RFC 8621). */
export const methodErrorTypes = [
  'serverUnavailable', 'serverFail', 'serverPartialFail', 'unknownMethod', 'invalidArguments', 'invalidResultReference', 'forbidden',
  'accountNotFound', 'accountNotSupportedByMethod', 'accountReadOnly', 'requestTooLarge', 'cannotCalculateChanges', 'stateMismatch',
  'anchorNotFound', 'unsupportedSort', 'unsupportedFilter', 'tooManyChanges',
] as const;
export type MethodErrorType = (typeof methodErrorTypes)[number];

/** Errors of one record in a /set (RFC 8620 §5.3; RFC 8621 §2.5, §4.6). */
export const setErrorTypes = [
  'forbidden', 'overQuota', 'tooLarge', 'rateLimit', 'notFound', 'invalidPatch', 'willDestroy', 'invalidProperties', 'singleton', 'alreadyExists',
  'mailboxHasChild', 'mailboxHasEmail', 'blobNotFound', 'tooManyKeywords', 'tooManyMailboxes', 'invalidEmail',
] as const;
export type SetErrorType = (typeof setErrorTypes)[number];
