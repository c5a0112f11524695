import { blobLimits } from '../../../contract/jmap/core.ts';
import { isObject, isOfType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { isMediaType } from '../../../core/runtime/http/content-headers.ts';
import { SetError } from '../request/jmap-errors.ts';

/** A range of another blob. `blobId` may be a creation id after `#`. */
export type BlobSource = { readonly blobId: string; readonly offset: number; readonly length: number | null };

/** An UploadObject (RFC 9404 §4.1) with decoded data. */
export type NewBlob = { readonly type: string | null; readonly sources: readonly (Buffer | BlobSource)[] };

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
export const decodeNewBlob = (given: JsonObject): NewBlob => {
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
