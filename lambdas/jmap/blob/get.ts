import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { blobProperties, digestAlgorithms, type blobGet } from '../../../contract/jmap/blob.ts';
import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import { isStoredAsIs, type FoundBlob } from '../../../core/blobs/account-blobs.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { weightGroups } from '../../../core/runtime/weight-groups.ts';
import { responseTooLarge } from '../request/api-response.ts';
import { MethodError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkReads, octetsOf, resolveBlobId, spendBlobs, weightOf, type BlobRead } from './blob-budget.ts';

type Args = ArgumentsOf<typeof blobGet.arguments>;

type Digest = { readonly property: string; readonly algorithm: string };

/** The properties and the range that a call requests. */
type Wanted = {
  readonly properties: ReadonlySet<string>;
  readonly hasData: boolean;
  readonly digests: readonly Digest[];
  /** Whether data or digests are requested, so that the content is read. */
  readonly hasContent: boolean;
  /** Whether the requested range is longer than the blob (RFC 9404 §4.2). */
  readonly exceeds: (blob: FoundBlob) => boolean;
};

/** Maximum octets of one read when a digest is computed, so that the whole blob is never in memory. */
const chunkSize = 8_000_000;

/**
 * The properties and the range that a call requests. @throws MethodError invalidArguments for an unknown property, such
 * as a digest that is not advertised.
 */
const wantedOf = ({ properties: given, offset, length }: Args): Wanted => {
  const properties = new Set(given ?? ['data', 'size']);
  const unknown = [...properties].find((name) => !blobProperties.includes(name));
  if (unknown !== undefined) {
    throw new MethodError('invalidArguments', `"properties" names ${JSON.stringify(unknown)}, which is not a property of Blob.`);
  }
  const hasData = ['data', 'data:asText', 'data:asBase64'].some((name) => properties.has(name));
  const digests = Object.entries(digestAlgorithms)
    .map(([name, algorithm]) => ({ property: `digest:${name}`, algorithm }))
    .filter(({ property }) => properties.has(property));
  return { properties, hasData, digests, hasContent: hasData || digests.length > 0, exceeds: ({ size }) => (offset ?? 0) + (length ?? 0) > size };
};

const selectedRange = (blob: FoundBlob, { offset, length }: Args): BlobRead => {
  const start = Math.min(offset ?? 0, blob.size);
  return { blob, range: { start, end: length === null ? blob.size : Math.min(blob.size, start + length) } };
};

/** The data properties of the selected octets. `data:asText` is null where they are not UTF-8 (RFC 9404 §4.2). */
const dataProperties = (octets: Buffer, properties: ReadonlySet<string>): JsonObject => {
  const isText = isUtf8(octets);
  const asBase64 = properties.has('data:asBase64') || (properties.has('data') && !isText);
  const asText = properties.has('data:asText') || (properties.has('data') && isText);
  const isProblem = !isText && (properties.has('data') || properties.has('data:asText'));
  return {
    ...(asText && { 'data:asText': isText ? octets.toString() : null }),
    ...(asBase64 && { 'data:asBase64': octets.toString('base64') }),
    ...(isProblem && { isEncodingProblem: true }),
  };
};

/** Digests of the selected octets. `read` is called for each chunk in order. */
const digestProperties = async (
  digests: readonly Digest[],
  { blob, range }: BlobRead,
  read: (range: BlobRead['range']) => Promise<Buffer | undefined>,
): Promise<JsonObject | undefined> => {
  const hashes = digests.map(({ algorithm }) => createHash(algorithm));
  // A part in base64 is always decoded from its begin, so it is read once.
  const size = isStoredAsIs(blob) ? chunkSize : Infinity;
  for (let { start } = range; start < range.end; start += size) {
    const octets = await read({ start, end: Math.min(range.end, start + size) });
    if (!octets) return undefined;
    for (const hash of hashes) hash.update(octets);
  }
  return Object.fromEntries(digests.map(({ property }, index) => [property, hashes[index]!.digest('base64')]));
};

/** The Blob object. @returns undefined when the blob was removed in the meantime. */
const getBlob = async (read: BlobRead, wanted: Wanted, { dependencies: { blobs } }: RequestContext): Promise<JsonObject | undefined> => {
  const { blob, range } = read;
  if (!wanted.hasContent && !(await blobs.exists(blob))) return undefined;
  const octets = wanted.hasData ? await blobs.read(blob, range) : undefined;
  if (wanted.hasData && !octets) return undefined;
  const digests =
    wanted.digests.length === 0
      ? {}
      : await digestProperties(wanted.digests, read, async (part) =>
          octets ? octets.subarray(part.start - range.start, part.end - range.start) : blobs.read(blob, part),
        );
  return (
    digests && {
      id: blob.blobId,
      ...(octets && dataProperties(octets, wanted.properties)),
      ...digests,
      ...(wanted.hasContent && wanted.exceeds(blob) && { isTruncated: true }),
      ...(wanted.properties.has('size') && { size: blob.size }),
    }
  );
};

/** Minimum characters of the blob's data in the response. */
const minDataLength = (read: BlobRead, { properties }: Wanted): number => {
  const asText = properties.has('data:asText') ? 1 : 0;
  const asBase64 = properties.has('data:asBase64') ? 4 / 3 : 0;
  // The text of octets that are not UTF-8 is null.
  return octetsOf(read) * (asBase64 || (properties.has('data') && !asText ? 1 : 0));
};

/**
 * Counts the reads. @throws MethodError requestTooLarge when the data do not fit into the response, or the request
 * reads too much.
 */
const weighReads = (reads: readonly BlobRead[], wanted: Wanted, { budget, responseRoom }: RequestContext): void => {
  if (reads.reduce((sum, read) => sum + minDataLength(read, wanted), 0) > responseRoom.octets) throw responseTooLarge();
  checkReads(wanted.hasContent ? reads : reads.filter(({ blob }) => blob.outer), budget);
};

/** Blob/get (RFC 9404 §4.2). Blobs have no state. @throws MethodError invalidArguments, requestTooLarge */
export const getBlobs = async (args: Args, { accountId }: OpenAccount, context: RequestContext): Promise<JsonObject> => {
  const wanted = wantedOf(args);
  if (args.ids.length > coreLimits.maxObjectsInGet) {
    throw new MethodError('requestTooLarge', `A call may get at most ${coreLimits.maxObjectsInGet} blobs (maxObjectsInGet).`);
  }
  const ids = [...new Set(args.ids.map((given) => resolveBlobId(given, context)))];
  spendBlobs(ids.length, context.budget);
  const found = await context.dependencies.blobs.find(accountId, ids);
  const reads = ids.flatMap((id) => (found.has(id) ? [selectedRange(found.get(id)!, args)] : []));
  weighReads(reads, wanted, context);
  const list: JsonObject[] = [];
  let octets = 0;
  for (const group of weightGroups(reads, weightOf)) {
    const blobs = (await mapConcurrently(group, (read) => getBlob(read, wanted, context))).filter((blob) => blob !== undefined);
    if (wanted.hasData) octets += JSON.stringify(blobs).length;
    if (octets > context.responseRoom.octets) throw responseTooLarge();
    list.push(...blobs);
  }
  const returned = new Set(list.map(({ id }) => id));
  return { accountId, list, notFound: ids.filter((id) => !returned.has(id)) };
};
