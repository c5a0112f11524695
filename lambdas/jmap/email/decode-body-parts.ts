import { emailLimits } from '../../../contract/jmap/core.ts';
import { isObject, isOfType, type DataType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { bodyPartProperties } from '../../../contract/jmap/email.ts';
import { composeField, UnwritableValue, type ComposedField } from '../../../core/mime/compose/compose-header-field.ts';
import type { ContentField, NewPart } from '../../../core/mime/compose/compose-message.ts';
import { isMediaType, parseContentField } from '../../../core/mime/content-type.ts';
import { parseLimits } from '../../../core/mime/parse-limits.ts';
import { resolveCreationId, type ResolveId } from '../request/patch-object.ts';
import { checkFieldsOnce, composeSetting, headerSettings, partFieldOf, type HeaderSetting } from './decode-header-properties.ts';
import { memberPath, type InvalidProperties } from './invalid-properties.ts';

/** A part of a new Email, before the octets of its blob are read. */
export type DecodedPart = NewPart<{ readonly blobId: string }>;

/** The state that all parts of one Email share during decoding. */
export type PartContext = {
  readonly invalid: InvalidProperties;
  /** The text of each body value, by part id. */
  readonly bodyValues: ReadonlyMap<string, string>;
  /** For each part, the paths of its header properties, by the header field that they set. */
  readonly headerPaths: Map<DecodedPart, ReadonlyMap<string, string>>;
  /** Resolves the creation id of a blob that an earlier call made (RFC 9404 §4.1). */
  readonly resolveId: ResolveId;
};

/** The types of the properties of EmailBodyPart that a create may have, besides header fields. */
const partTypes: { readonly [property: string]: DataType } = {
  partId: { orNull: 'String' },
  blobId: { orNull: 'IdOrCreationId' },
  size: { orNull: 'UnsignedInt' },
  name: { orNull: 'String' },
  type: 'String',
  charset: { orNull: 'String' },
  disposition: { orNull: 'String' },
  cid: { orNull: 'String' },
  language: { orNull: { list: 'String' } },
  location: { orNull: 'String' },
  subParts: { orNull: { list: 'Object' } },
};

/** Patterns that a parameter or a token must match, each with the reason for texts that do not match. */
const patterns: { readonly [property: string]: readonly [pattern: RegExp, reason: string] } = {
  charset: [/^[\w!#$%&'*+.^`{|}~-]{1,64}$/, 'it must be the name of a charset'],
  disposition: [/^[\w!#$&^.+-]{1,64}$/, 'it must be a token such as "attachment" (RFC 2183)'],
  name: [/^[^\r\n\0]+$/, 'it must have at least one character, and neither a line break nor NUL'],
};

const isLanguage = (tag: string): boolean => /^[A-Za-z0-9-]{1,35}$/.test(tag);

/** Checks the properties of a part one by one. */
const checkProperties = (part: JsonObject, path: string, invalid: InvalidProperties): void => {
  for (const [property, value] of Object.entries(part)) {
    if (property.startsWith('header:')) continue;
    const at = memberPath(path, property);
    const type = Object.hasOwn(partTypes, property) ? partTypes[property] : undefined;
    const [pattern, reason] = Object.hasOwn(patterns, property) ? patterns[property]! : [];
    if (!type) {
      invalid.add(
        at,
        (bodyPartProperties as readonly string[]).includes(property)
          ? 'set each header field as a property of its own'
          : 'it is not a property of EmailBodyPart',
      );
    } else if (!isOfType(type, value)) invalid.add(at, 'it has a value of another type');
    else if (pattern && typeof value === 'string' && !pattern.test(value)) invalid.add(at, reason!);
  }
  const { name, language } = part;
  if (typeof name === 'string' && Buffer.byteLength(name) > parseLimits.partText) {
    invalid.add(memberPath(path, 'name'), `it may have at most ${parseLimits.partText} octets`);
  }
  if (Array.isArray(language) && (language.length > parseLimits.languages || !language.every(isLanguage))) {
    invalid.add(memberPath(path, 'language'), `it must be a list of at most ${parseLimits.languages} language tags`);
  }
};

/** A structured field, from a header property such as `header:Content-Type`. */
const contentFieldOf = (settings: readonly HeaderSetting[], field: string, invalid: InvalidProperties): ContentField | undefined => {
  const setting = settings.find((each) => each.field === field);
  if (!setting || setting.value === null) return undefined;
  if (setting.all || !['asRaw', 'asText'].includes(setting.form)) {
    invalid.add(setting.path, 'this header field has to be set in the form asRaw or asText');
    return undefined;
  }
  const [composed] = composeSetting(setting, invalid);
  if (!composed || typeof setting.value !== 'string') return undefined;
  const parsed = parseContentField({ name: field, value: Buffer.from(setting.value) });
  return parsed && { value: parsed.value, parameters: parsed.parameters };
};

const defaultType = ({ subParts, blobId }: JsonObject): string => {
  if (Array.isArray(subParts) && subParts.length > 0) return 'multipart/mixed';
  return typeof blobId === 'string' ? 'application/octet-stream' : 'text/plain';
};

const decodeType = (
  part: JsonObject,
  path: string,
  settings: readonly HeaderSetting[],
  { invalid }: PartContext,
  missing: string = defaultType(part),
): ContentField => {
  const given = typeof part['type'] === 'string' ? { value: part['type'].toLowerCase() } : contentFieldOf(settings, 'content-type', invalid);
  const type = given ?? { value: missing };
  const source = settings.find(({ field }) => field === 'content-type')?.path ?? memberPath(path, 'type');
  if (!isMediaType(type.value)) invalid.add(source, 'it must be a media type such as "text/plain"');
  return type;
};

/**
 * Decodes a leaf, which has one of `partId` and `blobId` (RFC 8621 §4.6). When it has both, `partId` belongs to a
 * forwarded message and is ignored.
 */
const decodeLeaf = (
  part: JsonObject,
  path: string,
  { invalid, bodyValues, resolveId }: PartContext,
): Exclude<DecodedPart['content'], { readonly subParts: unknown }> => {
  const { partId = null, blobId = null } = part;
  const text = typeof partId === 'string' ? bodyValues.get(partId) : undefined;
  if (blobId === null ? partId === null : text !== undefined) {
    invalid.add(memberPath(path, 'partId'), 'a part must have exactly one of partId and blobId');
    return { text: '' };
  }
  if (typeof blobId === 'string') return { blobId: resolveCreationId(blobId, resolveId) };
  for (const property of ['charset', 'size']) {
    if ((part[property] ?? null) !== null) invalid.add(memberPath(path, property), 'a part with a partId may not have it');
  }
  if (text === undefined) invalid.add(memberPath(path, 'partId'), '"bodyValues" has no such part id');
  return { text: text ?? '' };
};

const decodeContent = (part: JsonObject, path: string, isMultipart: boolean, depth: number, context: PartContext): DecodedPart['content'] => {
  const { invalid } = context;
  const subParts = Array.isArray(part['subParts']) ? (part['subParts'] as unknown[]) : [];
  const at = memberPath(path, 'subParts');
  if (!isMultipart) {
    if (subParts.length > 0) invalid.add(at, 'only a part of the type multipart has parts');
    return decodeLeaf(part, path, context);
  }
  if (subParts.length === 0) invalid.add(at, 'a multipart must have at least one part');
  for (const property of ['partId', 'blobId']) {
    if ((part[property] ?? null) !== null) invalid.add(memberPath(path, property), 'a multipart may not have it');
  }
  if (depth >= emailLimits.maxBodyPartDepth) {
    invalid.add(at, `multiparts may be nested ${emailLimits.maxBodyPartDepth} levels deep`);
    return { subParts: [] };
  }
  return { subParts: subParts.map((subPart, index) => decodePart(subPart, memberPath(at, index), context, depth + 1)) };
};

const emptyPart: DecodedPart = { type: { value: 'text/plain' }, fields: [], content: { text: '' } };

const composedText = (name: string, form: 'asText' | 'asMessageIds', value: string, path: string, invalid: InvalidProperties): void => {
  try {
    composeField(name, form === 'asText' ? { form, value } : { form, value: [value] });
  } catch (failure) {
    if (!(failure instanceof UnwritableValue)) throw failure;
    invalid.add(path, failure.message);
  }
};

/**
 * Decodes an EmailBodyPart and its parts (RFC 8621 §4.6). Problems are added to `invalid`.
 * @param missingType the type of a part that has none, where its place allows only one.
 */
export const decodePart = (given: unknown, path: string, context: PartContext, depth = 0, missingType?: string): DecodedPart => {
  const { invalid } = context;
  if (!isObject(given)) {
    invalid.add(path, 'it must be an EmailBodyPart');
    return emptyPart;
  }
  checkProperties(given, path, invalid);
  const settings = headerSettings(given, path, invalid);
  const paths = new Map<string, string>();
  for (const [property, field] of Object.entries(partFieldOf)) {
    if ((given[property] ?? null) !== null) paths.set(field, memberPath(path, property));
  }
  checkFieldsOnce(settings, paths, invalid);
  const encoding = settings.find(({ field }) => field === 'content-transfer-encoding');
  if (encoding) invalid.add(encoding.path, 'the server chooses the encoding');
  const structured = new Set(['content-type', 'content-disposition', 'content-transfer-encoding']);
  const fields: ComposedField[] = settings.filter(({ field }) => !structured.has(field)).flatMap((setting) => composeSetting(setting, invalid));

  const text = (property: string): string | undefined => (typeof given[property] === 'string' ? given[property] : undefined);
  const [cid, location, dispositionValue] = [text('cid'), text('location'), text('disposition')];
  if (cid !== undefined) composedText('Content-ID', 'asMessageIds', cid, memberPath(path, 'cid'), invalid);
  if (location !== undefined) composedText('Content-Location', 'asText', location, memberPath(path, 'location'), invalid);
  const type = decodeType(given, path, settings, context, missingType);
  const disposition = dispositionValue === undefined ? contentFieldOf(settings, 'content-disposition', invalid) : { value: dispositionValue.toLowerCase() };
  if (disposition && !patterns['disposition']![0].test(disposition.value)) {
    invalid.add(paths.get('content-disposition')!, patterns['disposition']![1]);
  }
  const part: DecodedPart = {
    type,
    charset: text('charset'),
    disposition,
    name: text('name'),
    cid,
    location,
    language: isOfType({ list: 'String' }, given['language']) && given['language'].length > 0 ? given['language'] : undefined,
    fields,
    content: decodeContent(given, path, type.value.startsWith('multipart/'), depth, context),
  };
  context.headerPaths.set(part, new Map(settings.map((setting) => [setting.field, setting.path])));
  return part;
};

/** The part and all its descendants. */
export const partsOf = (part: DecodedPart): readonly DecodedPart[] => [part, ...('subParts' in part.content ? part.content.subParts.flatMap(partsOf) : [])];
