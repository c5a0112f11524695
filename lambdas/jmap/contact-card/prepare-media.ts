import { contactCardLimits, type photoTypes } from '../../../contract/jmap/contact-card.ts';
import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { newMediaKey, type CardMediaKey } from '../../../core/blobs/card-media.ts';
import { cardOf, mediaBlobIds, type ContactCardRecord } from '../../../core/mail/contact-card/contact-card-record.ts';
import { mediaBlobId, parseBlobId } from '../../../core/mail/email/blob-id.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { resolveBlobId, spendBlobs, spendReads, wholeOf } from '../blob/blob-budget.ts';
import { SetError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';

type PhotoType = (typeof photoTypes)[number];

/** The first octets of image files, in Latin-1. A dot stands for any octet. */
const signatures: readonly (readonly [pattern: RegExp, type: PhotoType])[] = [
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^\x89PNG/, 'image/png'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^BM[\s\S]{4}\0\0\0\0/, 'image/bmp'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  [/^[\s\S]{4}ftypavi[fs]/, 'image/avif'],
  [/^[\s\S]{4}ftyp(?:hei[cxms]|hev[cmx]|mif1|msf1)/, 'image/heic'],
];

/** The type of an image. @returns undefined for other content. */
const photoTypeOf = (content: Buffer): PhotoType | undefined => {
  const start = content.toString('latin1', 0, 16);
  return signatures.find(([pattern]) => pattern.test(start))?.[1];
};

/** The blobs of a card's `media` that a request has read and stored for the card. */
type StoredMedia = {
  readonly blobId: string;
  readonly octets: number;
  /** The type of a recognized image. */
  readonly photoType: string | undefined;
  /** The type of a `data:` URI. */
  readonly statedType: string | undefined;
};

/** The stored blobs by card id, then by the blob id or `data:` URI in the request; the error of one that is unusable. */
export type PreparedMedia = ReadonlyMap<string, ReadonlyMap<string, StoredMedia | SetError>>;

/** Maximum blobs that are read at the same time. */
const blobsAtOnce = 4;

const invalid = (description: string) => new SetError('invalidProperties', description, ['media']);

const isDataUri = (uri: unknown): uri is string => typeof uri === 'string' && /^data:/i.test(uri);

/** The content of a `data:` URI (RFC 2397). @returns undefined when it is malformed. */
const decodeDataUri = (uri: string): { readonly type: string; readonly content: Buffer } | undefined => {
  const [, type = '', base64, data = ''] = /^data:([^,;]*)(?:;[^,;]*)*?(;base64)?,([\s\S]*)$/i.exec(uri) ?? [];
  try {
    const text = decodeURIComponent(data);
    return uri.includes(',') ? { type: type.toLowerCase() || 'text/plain', content: Buffer.from(text, base64 ? 'base64' : 'utf8') } : undefined;
  } catch {
    return undefined;
  }
};

/** The blob ids and `data:` URIs in a part of `media`. @param tokens the path of the part below `media`. */
const sourcesIn = (value: unknown, tokens: readonly string[]): readonly string[] => {
  const [, property] = tokens;
  if (property === 'blobId' || property === 'uri') return typeof value === 'string' && (property === 'blobId' || isDataUri(value)) ? [value] : [];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => sourcesIn(each, [...tokens, key]));
};

/** The blob ids and `data:` URIs that a patch or a new card names in `media`. */
const requestedSources = (given: JsonObject): readonly string[] =>
  Object.entries(given).flatMap(([path, value]) => {
    const [name, ...tokens] = path.split('/');
    return name === 'media' ? sourcesIn(value, tokens) : [];
  });

const mediaKeysOf = (record: ContactCardRecord): readonly CardMediaKey[] =>
  record.mediaOctets === 0
    ? []
    : mediaBlobIds(cardOf(record)).flatMap((blobId) => {
        const blob = parseBlobId(blobId);
        return blob?.kind === 'media' ? [{ cardId: record.id, key: blob.key }] : [];
      });

/** Removes the blobs of cards later, unless the cards refer to them then. */
export const removeMediaLater = (cards: readonly ContactCardRecord[], { accountId }: OpenAccount, { dependencies }: RequestContext): Promise<void> =>
  dependencies.cardMedia.removeLater(accountId, cards.flatMap(mediaKeysOf));

/** Reads the content of a blob or `data:` URI. @throws SetError invalidProperties, tooLarge, rateLimit */
const readSource = async (source: string, accountId: string, context: RequestContext): Promise<{ readonly content: Buffer; readonly type?: string }> => {
  const { maxSizeMedia } = contactCardLimits;
  const tooLarge = () => new SetError('tooLarge', `A blob in "media" may have at most ${maxSizeMedia} octets.`);
  if (isDataUri(source)) {
    const decoded = decodeDataUri(source);
    if (!decoded) throw invalid('A "data:" URI in "media" is malformed.');
    if (decoded.content.length > maxSizeMedia) throw tooLarge();
    return decoded;
  }
  const blobId = resolveBlobId(source, context);
  const blob = (await context.dependencies.blobs.find(accountId, [blobId])).get(blobId);
  if (!blob) throw invalid(`There is no blob ${JSON.stringify(blobId.slice(0, 255))} in the account.`);
  if (blob.size > maxSizeMedia) throw tooLarge();
  if (!spendReads([wholeOf(blob)], context.budget)) {
    throw new SetError('rateLimit', 'The request reads too many octets (maxBlobOctetsInRequest). Set the other cards by another request.');
  }
  const content = await context.dependencies.blobs.read(blob);
  if (!content) throw invalid(`There is no blob ${JSON.stringify(blobId)} in the account.`);
  return { content };
};

/** The media that new and updated cards name, to be stored. */
type MediaRequest = { readonly cardId: string; readonly given: JsonObject; readonly current: ContactCardRecord | undefined };

/**
 * Copies the blobs that the cards of a request name, so that each card has its own.
 * @param from the account of the blobs.
 */
export const prepareMedia = async (
  requests: readonly MediaRequest[],
  from: OpenAccount,
  { accountId }: OpenAccount,
  context: RequestContext,
): Promise<PreparedMedia> => {
  const wanted = requests.flatMap(({ cardId, given, current }) => {
    const own = new Set(current ? mediaBlobIds(cardOf(current)) : []);
    return [...new Set(requestedSources(given))].filter((source) => !own.has(source)).map((source) => ({ cardId, source, key: newMediaKey() }));
  });
  const touched = requests.flatMap(({ given, current }) =>
    current && Object.keys(given).some((path) => path === 'media' || path.startsWith('media/')) ? mediaKeysOf(current) : [],
  );
  spendBlobs(wanted.length, context.budget);
  if (wanted.length + touched.length === 0) return new Map();
  await context.dependencies.cardMedia.removeLater(accountId, [...wanted.map(({ cardId, key }) => ({ cardId, key })), ...touched]);
  const stored = await mapConcurrently(
    wanted,
    async ({ cardId, source, key }) => {
      try {
        const { content, type } = await readSource(source, from.accountId, context);
        const photoType = photoTypeOf(content);
        await context.dependencies.cardMedia.store(accountId, key, content, photoType ?? type ?? 'application/octet-stream');
        return { cardId, source, media: { blobId: mediaBlobId(key), octets: content.length, photoType, statedType: type } };
      } catch (failure) {
        if (!(failure instanceof SetError)) throw failure;
        return { cardId, source, media: failure };
      }
    },
    { atOnce: blobsAtOnce },
  );
  return new Map([...Map.groupBy(stored, ({ cardId }) => cardId)].map(([cardId, each]) => [cardId, new Map(each.map(({ source, media }) => [source, media]))]));
};

/**
 * The `media` of a card with the ids of the stored blobs (RFC 9610 §3). A `data:` URI becomes a blob.
 * @param before the card before the change.
 * @returns the octets of all blobs too.
 * @throws SetError invalidProperties for a blob that does not exist, or a photo that is not an image.
 */
export const storedMedia = (
  media: unknown,
  prepared: ReadonlyMap<string, StoredMedia | SetError> | undefined,
  before: ContactCardRecord | undefined,
): { readonly media: unknown; readonly octets: number } => {
  if (!isObject(media)) return { media, octets: 0 };
  const own = new Set(before ? mediaBlobIds(cardOf(before)) : []);
  let octets = [...own].some((blobId) => Object.values(media).some((each) => isObject(each) && each['blobId'] === blobId)) ? before!.mediaOctets : 0;
  const entries = Object.entries(media).map(([id, each]) => {
    if (!isObject(each)) return [id, each];
    const source = each['blobId'] ?? (isDataUri(each['uri']) ? each['uri'] : undefined);
    if (typeof source !== 'string' || own.has(source)) return [id, each];
    const found = prepared?.get(source);
    if (found instanceof SetError) throw found;
    if (!found) throw invalid('A blob in "media" was removed meanwhile.');
    if (each['kind'] === 'photo' && !found.photoType) throw invalid('The photo of a card must be an image: JPEG, PNG, GIF, WebP, BMP, TIFF, HEIC or AVIF.');
    octets += found.octets;
    const { uri, ...rest } = each;
    const mediaType = found.photoType ?? each['mediaType'] ?? found.statedType ?? 'application/octet-stream';
    return [id, { ...rest, ...(uri !== undefined && !isDataUri(uri) && { uri }), mediaType, blobId: found.blobId }];
  });
  return { media: Object.fromEntries(entries), octets };
};
