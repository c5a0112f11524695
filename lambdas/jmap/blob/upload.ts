import type { blobUpload } from '../../../contract/jmap/blob.ts';
import { blobLimits, coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isObject, isOfType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import type { FoundBlob } from '../../../core/blobs/account-blobs.ts';
import { uploadsExceeded, type UploadRoom } from '../../../core/blobs/uploaded-octets.ts';
import { uploadBlobId, uploadKey } from '../../../core/mail/email/blob-id.ts';
import { isMediaType } from '../../../core/runtime/http/content-headers.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { weightGroups } from '../../../core/runtime/weight-groups.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import { objectOrNull } from '../request/create-records.ts';
import { MethodError, SetError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { octetsOf, resolveBlobId, spendBlobs, spendReads, type BlobRead } from './blob-budget.ts';

/** A range of another blob. `blobId` may be a creation id after `#`. */
type BlobSource = { readonly blobId: string; readonly offset: number; readonly length: number | null };

/** An UploadObject (RFC 9404 §4.1) with decoded data. */
type NewBlob = { readonly type: string | null; readonly sources: readonly (Buffer | BlobSource)[] };

const invalid = (description: string, property: 'data' | 'type' = 'data') => new SetError('invalidProperties', description, [property]);

/** Decodes base64 (RFC 4648 §4). @returns undefined for another alphabet, missing padding, line breaks or unused bits. */
const decodeBase64 = (text: string): Buffer | undefined => {
  const octets = Buffer.from(text, 'base64');
  return octets.toString('base64') === text ? octets : undefined;
};

const textSource = (text: unknown): Buffer => {
  if (!isOfType('String', text)) throw invalid('"data:asText" must be a text of valid Unicode.');
  return Buffer.from(text);
};

const base64Source = (text: unknown): Buffer => {
  const octets = typeof text === 'string' ? decodeBase64(text) : undefined;
  if (!octets) throw invalid('"data:asBase64" must be base64 with padding and without line breaks (RFC 4648 §4).');
  return octets;
};

const blobSource = ({ blobId, offset, length }: JsonObject): BlobSource => {
  if (!isOfType('IdOrCreationId', blobId)) throw invalid('"blobId" must be an Id.');
  const number = (name: string, value: unknown): number | null => {
    const numberOrNull = value ?? null;
    if (!isOfType({ orNull: 'UnsignedInt' }, numberOrNull)) throw invalid(`"${name}" must be of type UnsignedInt|null.`);
    return numberOrNull;
  };
  return { blobId, offset: number('offset', offset) ?? 0, length: number('length', length) };
};

const kinds = ['data:asText', 'data:asBase64', 'blobId'] as const;

const decodeSource = (source: unknown): Buffer | BlobSource => {
  if (!isObject(source)) throw invalid('Each element of "data" must be a DataSourceObject.');
  const [kind, ...others] = kinds.filter((name) => (source[name] ?? null) !== null);
  if (kind === undefined || others.length > 0) throw invalid(`A data source must have exactly one of ${kinds.join(', ')}.`);
  const allowed: readonly string[] = kind === 'blobId' ? [...kinds, 'offset', 'length'] : kinds;
  const unknown = Object.keys(source).find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw invalid(`A data source with ${kind} has no property ${JSON.stringify(unknown)}.`);
  if (kind === 'blobId') return blobSource(source);
  return kind === 'data:asText' ? textSource(source[kind]) : base64Source(source[kind]);
};

/** Decodes an UploadObject. @throws SetError invalidProperties; tooLarge for more than maxDataSources. */
const decodeNewBlob = (given: JsonObject): NewBlob => {
  const { data, type = null, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new SetError('invalidProperties', `A new blob has no property ${JSON.stringify(unknown)}.`, Object.keys(others));
  }
  if (!Array.isArray(data)) throw invalid('"data" must be a list of DataSourceObjects.');
  if (type !== null && !(typeof type === 'string' && isMediaType(type))) throw invalid('"type" must be a media type or null.', 'type');
  const { maxDataSources } = blobLimits;
  if (data.length > maxDataSources) throw new SetError('tooLarge', `A blob may have ${maxDataSources} data sources (maxDataSources).`);
  return { type, sources: data.map(decodeSource) };
};

/** A blob whose sources all exist. */
type PlannedBlob = { readonly creationId: string; readonly type: string | null; readonly pieces: readonly (Buffer | BlobRead)[]; readonly size: number };

type CreatedBlob = JsonObject & { readonly id: string };

/** The outcome for each creation id, as in the response of a /set. */
type Outcome = { readonly created: Map<string, CreatedBlob>; readonly notCreated: Map<string, SetError> };

/**
 * Maximum rounds of a call. The blobs of a round may have blobs of earlier rounds as sources, so rounds run one after
 * the other.
 */
const maxRounds = 4;

const isPiece = (source: Buffer | BlobSource): source is Buffer => Buffer.isBuffer(source);

/** Calls `act`. If it throws a SetError, the creation id is in `notCreated` with that error. */
const orNotCreated = async <T>(creationId: string, { notCreated }: Outcome, act: () => T | Promise<T>): Promise<T | undefined> => {
  try {
    return await act();
  } catch (failure) {
    if (!(failure instanceof SetError)) throw failure;
    notCreated.set(creationId, failure);
    return undefined;
  }
};

/**
 * The range of a source.
 * @throws SetError blobNotFound, or invalidProperties for a range beyond the blob's end (RFC 9404 §4.1).
 */
const rangeOfBlob = ({ blobId, offset, length }: BlobSource, blob: FoundBlob | undefined): BlobRead => {
  if (!blob) throw new SetError('blobNotFound', `There is no blob ${JSON.stringify(blobId)} in the account.`);
  const end = offset + (length ?? Math.max(0, blob.size - offset));
  if (offset > blob.size || end > blob.size) {
    throw new SetError('invalidProperties', `The range is not in the blob ${JSON.stringify(blobId)}, which has ${blob.size} octets.`, ['data']);
  }
  return { blob, range: { start: offset, end } };
};

/** Joins the sources of a new blob and counts the octets to read. @throws SetError */
const planBlob = (
  creationId: string,
  { type, sources }: NewBlob,
  find: (source: BlobSource) => FoundBlob | undefined,
  { budget }: RequestContext,
): PlannedBlob => {
  const pieces = sources.map((source) => (isPiece(source) ? source : rangeOfBlob(source, find(source))));
  const reads = pieces.flatMap((piece) => (Buffer.isBuffer(piece) ? [] : [piece]));
  const size = pieces.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : octetsOf(piece)), 0);
  const { maxSizeBlobSet } = blobLimits;
  if (size > maxSizeBlobSet) throw new SetError('tooLarge', `A blob may have ${maxSizeBlobSet} octets (maxSizeBlobSet), this one has ${size}.`);
  if (!spendReads(reads, budget)) {
    const { maxBlobOctetsInRequest } = unadvertisedLimits;
    throw new SetError('rateLimit', `The Blob methods of a request may read ${maxBlobOctetsInRequest} octets (maxBlobOctetsInRequest).`);
  }
  return { creationId, type, pieces, size };
};

/**
 * Reads the pieces in order and stores the blob. Its key is the digest of its content, as for an upload. Storing the
 * blob again extends its lifetime. S3's UploadPartCopy would avoid reading the sources, but can't compute the digest.
 * @throws SetError blobNotFound when a source expired in the meantime.
 */
const storeBlob = async ({ pieces, type, size }: PlannedBlob, accountId: string, { dependencies }: RequestContext): Promise<CreatedBlob> => {
  const content = Buffer.allocUnsafe(size);
  let position = 0;
  for (const piece of pieces) {
    const octets = Buffer.isBuffer(piece) ? piece : await dependencies.blobs.read(piece.blob, piece.range);
    if (!octets) throw new SetError('blobNotFound', 'A blob that is a data source does not exist any more.');
    position += octets.copy(content, position);
  }
  if (position !== size) throw new Error('the data sources of a blob do not have the expected size');
  const key = uploadKey(content);
  await dependencies.objects.put(objectKeys.upload(accountId, key), content, type ?? 'application/octet-stream');
  return { id: uploadBlobId(key), type, size };
};

const overQuota = ({ limit }: UploadRoom) => new SetError('overQuota', uploadsExceeded(limit));

const blobSources = (blobs: Iterable<NewBlob>): readonly BlobSource[] =>
  [...blobs].flatMap(({ sources }) => sources.flatMap((source) => (isPiece(source) ? [] : [source])));

/** Creates the blobs of one round, whose sources are all data or existing blobs. */
const makeRound = async (round: ReadonlyMap<string, NewBlob>, outcome: Outcome, { accountId }: OpenAccount, context: RequestContext): Promise<void> => {
  const idOf = ({ blobId }: BlobSource) => resolveBlobId(blobId, context);
  const found = await context.dependencies.blobs.find(accountId, blobSources(round.values()).map(idOf));
  const planned = await mapConcurrently([...round], async ([creationId, blob]) =>
    orNotCreated(creationId, outcome, () => planBlob(creationId, blob, (source) => found.get(idOf(source)), context)),
  );
  const room = await context.uploadRoom(accountId);
  const fitting = planned
    .filter((blob) => blob !== undefined)
    .filter(({ creationId, size }) => {
      const fits = room.take(size);
      if (!fits) outcome.notCreated.set(creationId, overQuota(room));
      return fits;
    });
  const store = async (): Promise<void> => {
    for (const group of weightGroups(fitting, ({ size }) => size)) {
      await mapConcurrently(group, async (blob) => {
        const created = await orNotCreated(blob.creationId, outcome, () => storeBlob(blob, accountId, context));
        if (created) outcome.created.set(blob.creationId, created);
      });
    }
  };
  const octets = fitting.reduce((sum, { size }) => sum + size, 0);
  const [isCounted] = await Promise.all([room.count(octets), store()]);
  if (!isCounted) {
    for (const { creationId } of fitting) {
      outcome.created.delete(creationId);
      outcome.notCreated.set(creationId, overQuota(room));
    }
  }
  for (const creationId of round.keys()) {
    const created = outcome.created.get(creationId);
    if (created) context.createdIds.set(creationId, created.id);
  }
};

/** Whether a source of the blob is a blob that is not yet created. */
const waitsFor = ({ sources }: NewBlob, remaining: ReadonlyMap<string, NewBlob>): boolean =>
  sources.some((source) => !isPiece(source) && source.blobId.startsWith('#') && remaining.has(source.blobId.slice(1)));

/** Blob/upload (RFC 9404 §4.1). Sources may be blobs of the same call. @throws MethodError requestTooLarge. */
export const uploadBlobs = async ({ create }: ArgumentsOf<typeof blobUpload.arguments>, account: OpenAccount, context: RequestContext): Promise<JsonObject> => {
  const creations = Object.entries(create);
  if (creations.length > coreLimits.maxObjectsInSet) {
    throw new MethodError('requestTooLarge', `A call may create ${coreLimits.maxObjectsInSet} blobs (maxObjectsInSet).`);
  }
  const outcome: Outcome = { created: new Map(), notCreated: new Map() };
  const remaining = new Map<string, NewBlob>();
  for (const [creationId, given] of creations) {
    const blob = await orNotCreated(creationId, outcome, () => decodeNewBlob(given));
    if (blob) remaining.set(creationId, blob);
  }
  const sources = new Set(blobSources(remaining.values()).map(({ blobId }) => blobId));
  spendBlobs(creations.length + sources.size, context.budget);
  for (let rounds = 0; remaining.size > 0 && rounds < maxRounds; rounds += 1) {
    const round = new Map([...remaining].filter(([, blob]) => !waitsFor(blob, remaining)));
    if (round.size === 0) break;
    await makeRound(round, outcome, account, context);
    for (const creationId of round.keys()) remaining.delete(creationId);
  }
  for (const creationId of remaining.keys()) {
    outcome.notCreated.set(
      creationId,
      new SetError('invalidProperties', `The blob refers to itself, or to a chain of more than ${maxRounds} new blobs. Create them in several calls.`, [
        'data',
      ]),
    );
  }
  return { accountId: account.accountId, created: objectOrNull(outcome.created), notCreated: objectOrNull(outcome.notCreated) };
};
