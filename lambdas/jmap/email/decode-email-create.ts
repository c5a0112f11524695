import { emailLimits } from '../../../contract/jmap/core.ts';
import { isObject, isOfType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { email } from '../../../contract/jmap/email.ts';
import type { NewProperties } from '../../../contract/jmap/record.ts';
import type { ComposedField } from '../../../core/mime/compose/compose-header-field.ts';
import { bodyStructureOf } from '../../../core/mime/compose/compose-message.ts';
import { SetError } from '../request/jmap-errors.ts';
import { newProperties, type ResolveId } from '../request/patch-object.ts';
import { decodePart, partsOf, type DecodedPart, type PartContext } from './decode-body-parts.ts';
import { checkFieldsOnce, composeSetting, headerSettings } from './decode-header-properties.ts';
import { InvalidProperties, memberPath } from './invalid-properties.ts';

/** An Email to compose (RFC 8621 §4.6), decoded and valid, except for its blobs and mailboxes. */
export type EmailCreate = {
  readonly mailboxIds: readonly string[];
  readonly keywords: readonly string[];
  /** Milliseconds since 1970. Undefined: the current time. */
  readonly receivedAt?: number;
  readonly fields: readonly ComposedField[];
  readonly root: DecodedPart;
};

const valueMembers = ['value', 'isEncodingProblem', 'isTruncated'];

/** The texts of `bodyValues`, by part id. */
const decodeBodyValues = (given: JsonObject, invalid: InvalidProperties): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(given).map(([partId, bodyValue]) => {
      const path = memberPath('bodyValues', partId);
      const { value, isEncodingProblem = false, isTruncated = false } = isObject(bodyValue) ? bodyValue : {};
      if (!isOfType('String', value)) invalid.add(path, 'it must be an EmailBodyValue with a value');
      if (isEncodingProblem !== false) invalid.add(memberPath(path, 'isEncodingProblem'), 'it must be false');
      if (isTruncated !== false) invalid.add(memberPath(path, 'isTruncated'), 'it must be false');
      const unknown = isObject(bodyValue) ? Object.keys(bodyValue).find((member) => !valueMembers.includes(member)) : undefined;
      if (unknown !== undefined) invalid.add(memberPath(path, unknown), 'it is not a property of EmailBodyValue');
      return [partId, typeof value === 'string' ? value : ''];
    }),
  );

/** The only part in `textBody` or `htmlBody`, which must be text/plain or text/html accordingly. */
const decodeBody = (given: NewProperties<typeof email>, property: 'textBody' | 'htmlBody', type: string, context: PartContext): DecodedPart | undefined => {
  const list = given[property];
  if (list === undefined) return undefined;
  if (list.length !== 1) context.invalid.add(property, 'it must have exactly one part');
  const part = list.length > 0 ? decodePart(list[0], memberPath(property, 0), context, 0, type) : undefined;
  if (part && part.type.value !== type) context.invalid.add(memberPath(memberPath(property, 0), 'type'), `it must be ${type}`);
  return part;
};

const listProperties = ['textBody', 'htmlBody', 'attachments'] as const;

/** The root of the message: `bodyStructure`, or the structure of the body and the attachments. */
const decodeRoot = (given: NewProperties<typeof email>, context: PartContext): DecodedPart => {
  if (given.bodyStructure !== undefined) {
    for (const property of listProperties) {
      if (given[property] !== undefined) context.invalid.add(property, 'it may not be given together with bodyStructure');
    }
    return decodePart(given.bodyStructure, 'bodyStructure', context);
  }
  const attachments = given.attachments ?? [];
  return bodyStructureOf({
    text: decodeBody(given, 'textBody', 'text/plain', context),
    html: decodeBody(given, 'htmlBody', 'text/html', context),
    attachments: attachments.map((part, index) => decodePart(part, memberPath('attachments', index), context)),
  });
};

/**
 * Header fields of the message, without the fields of its root part. Content fields belong to the parts (RFC 8621
 * §4.6).
 */
const decodeFields = (given: JsonObject, root: DecodedPart, { invalid, headerPaths }: PartContext): readonly ComposedField[] => {
  const settings = headerSettings(given, '', invalid);
  for (const { field, path } of settings) {
    if (field.startsWith('content-')) invalid.add(path, 'header fields of the content are properties of an EmailBodyPart');
  }
  const taken = new Map<string, string>();
  checkFieldsOnce(settings, taken, invalid);
  for (const [field, path] of headerPaths.get(root) ?? []) {
    if (taken.has(field)) invalid.add(path, `${taken.get(field)!} sets the same header field`);
  }
  return settings.flatMap((setting) => composeSetting(setting, invalid));
};

/** Checks the numbers of parts and header fields. @throws SetError tooLarge for more than an Email may have. */
const checkSize = (fields: readonly ComposedField[], root: DecodedPart): void => {
  const { maxBodyPartsPerEmail, maxHeaderFieldsPerPart, maxSizeHeaderPerPart } = emailLimits;
  const parts = partsOf(root);
  if (parts.length > maxBodyPartsPerEmail) {
    throw new SetError('tooLarge', `An Email may have at most ${maxBodyPartsPerEmail} body parts (maxBodyPartsPerEmail).`);
  }
  for (const part of parts) {
    const own = part === root ? [...fields, ...part.fields] : part.fields;
    if (own.length > maxHeaderFieldsPerPart) {
      throw new SetError('tooLarge', `A part may have at most ${maxHeaderFieldsPerPart} header fields (maxHeaderFieldsPerPart).`);
    }
    if (own.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 2, 0) > maxSizeHeaderPerPart) {
      throw new SetError('tooLarge', `The header of a part may have at most ${maxSizeHeaderPerPart} octets (maxSizeHeaderPerPart).`);
    }
  }
};

/** Decodes a new Email (RFC 8621 §4.6). @throws SetError invalidProperties with all paths; tooLarge. */
export const decodeEmailCreate = (given: JsonObject, resolveId: ResolveId): EmailCreate => {
  const properties = newProperties(email, given, resolveId);
  const invalid = new InvalidProperties();
  const bodyValues = decodeBodyValues(properties.bodyValues ?? {}, invalid);
  const context: PartContext = { invalid, bodyValues, headerPaths: new Map(), resolveId };
  const root = decodeRoot(properties, context);
  const fields = decodeFields(given, root, context);
  invalid.throwIfAny();
  checkSize(fields, root);
  const { mailboxIds, keywords, receivedAt } = properties;
  return {
    mailboxIds: Object.keys(mailboxIds).toSorted(),
    keywords: Object.keys(keywords).toSorted(),
    ...(receivedAt !== undefined && { receivedAt: Date.parse(receivedAt) }),
    fields,
    root,
  };
};
