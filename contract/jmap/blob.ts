import { capability } from './core.ts';
import type { Argument, CustomMethod } from './record.ts';

const accountId = { type: 'Id' } as const satisfies Argument;
const ids = { type: { list: 'IdOrCreationId' } } as const satisfies Argument;

/** The path of uploads, before the account's id. It is also the stage of the REST API that takes them. */
export const uploadPath = '/upload';

/** The path of downloads. It is also the stage of the REST API that streams them. */
export const downloadPath = '/download';

/**
 * The query of a download (RFC 8620 §6.2). REST APIs may encode `%` again and split at `;` (API Gateway developer guide,
 * "Important notes"). The last parameter is `%;` and shows whether they did.
 */
export const downloadQuery = 'accountId={accountId}&blobId={blobId}&type={type}&name={name}&encoding=%25%3B';

/**
 * Limits of downloads. Each one holds a Lambda until its reader has taken it, and all Lambdas of an AWS account share one
 * limit, so that slow readers would keep others from signing in.
 */
export const downloadLimits = {
  /** Seconds after which a reader that takes nothing is cut off. */
  stallSeconds: 20,
  /** The lowest mean speed of a reader, and the seconds that are added for any size. */
  octetsPerSecond: 64 * 1024,
  extraSeconds: 30,
  /** Maximum downloads of a person, or of an app client without one, at the same time. */
  atOnce: 4,
  /** Octets from which a download counts among them. A smaller one holds its Lambda for less than a minute. */
  countedOctets: 1_000_000,
  /** `Retry-After` of a download above the maximum, in seconds. */
  retryAfter: 10,
} as const;

/** The seconds after which a download with this number of octets is ended. */
export const downloadSeconds = (octets: number): number => Math.ceil(octets / downloadLimits.octetsPerSecond) + downloadLimits.extraSeconds;

/** Digest algorithms of Blob/get with their names in Node.js, preferred ones first (RFC 9404 §3.1). */
export const digestAlgorithms = { 'sha-256': 'sha256', sha: 'sha1' } as const;

/** Types whose records Blob/lookup finds, with the capability that a request must name (RFC 9404 §4.3). */
export const lookupTypes = { Email: capability.mail, Thread: capability.mail, Mailbox: capability.mail, ContactCard: capability.contacts } as const;
export type LookupType = keyof typeof lookupTypes;

/** The properties that a Blob/get may request (RFC 9404 §4.2). `id` is always returned. */
export const blobProperties = ['id', 'data', 'data:asText', 'data:asBase64', 'size', ...Object.keys(digestAlgorithms).map((name) => `digest:${name}`)] as const;

/** Copies blobs from another account (RFC 8620 §6.3). */
export const blobCopy = {
  name: 'Blob/copy',
  capability: capability.core,
  permission: 'MAIL_WRITE',
  arguments: { fromAccountId: { type: 'Id' }, accountId, blobIds: { type: { list: 'Id' } } },
} as const satisfies CustomMethod;

/** Creates blobs from data and from ranges of other blobs (RFC 9404 §4.1). */
export const blobUpload = {
  name: 'Blob/upload',
  capability: capability.blob,
  permission: 'MAIL_WRITE',
  arguments: { accountId, create: { type: { mapOf: 'Object' } } },
} as const satisfies CustomMethod;

/** Octets, digests and sizes of blobs (RFC 9404 §4.2). There is no list of all blobs, so `ids` is never null. */
export const blobGet = {
  name: 'Blob/get',
  capability: capability.blob,
  permission: 'MAIL_READ',
  arguments: {
    accountId,
    ids,
    properties: { type: { orNull: { list: 'String' } }, default: ['data', 'size'] },
    offset: { type: { orNull: 'UnsignedInt' } },
    length: { type: { orNull: 'UnsignedInt' } },
  },
} as const satisfies CustomMethod;

/** The records that refer to blobs (RFC 9404 §4.3). */
export const blobLookup = {
  name: 'Blob/lookup',
  capability: capability.blob,
  permission: 'MAIL_READ',
  arguments: { accountId, typeNames: { type: { list: 'String' } }, ids },
} as const satisfies CustomMethod;
