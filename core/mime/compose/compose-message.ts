import { boundaryPrefix, encodeOctets, encodeText, type EncodedBody } from './compose-body.ts';
import { composeField, type ComposedField } from './compose-header-field.ts';
import { composeContentField } from './compose-parameters.ts';

/** Octets that are kept unchanged. */
export type PartOctets = { readonly octets: Buffer };

/** The content of a part: further parts, a text to encode in UTF-8, or octets in any representation. */
type PartContent<Octets = PartOctets> = { readonly subParts: readonly NewPart<Octets>[] } | { readonly text: string } | Octets;

/**
 * A structured field of a part, such as Content-Type, without the parameters that are derived from other properties.
 */
export type ContentField = { readonly value: string; readonly parameters?: ReadonlyMap<string, string> };

/** A part of a message to compose. Its texts are already checked: they have neither line breaks nor NUL. */
export type NewPart<Octets = PartOctets> = {
  /** The media type in lower case. */
  readonly type: ContentField;
  /** The charset, only for a part with octets. */
  readonly charset?: string;
  readonly disposition?: ContentField;
  readonly name?: string;
  readonly cid?: string;
  readonly language?: readonly string[];
  readonly location?: string;
  /** Further fields of the part's header. */
  readonly fields: readonly ComposedField[];
  readonly content: PartContent<Octets>;
};

/** A message to compose. `fields` are the header fields of the message; the fields of the root part follow them. */
export type NewMessage = { readonly fields: readonly ComposedField[]; readonly root: NewPart };

const isText = (type: string): boolean => type.startsWith('text/');

/** The Content-Type of a part, including the parameters that are derived from other properties. */
const contentType = (part: NewPart, boundary: string | undefined): ComposedField => {
  const {
    type: { value, parameters: given = new Map<string, string>() },
    charset,
    name,
    disposition,
    content,
  } = part;
  const own = new Map<string, string>();
  if (boundary !== undefined) own.set('boundary', boundary);
  else if ('text' in content && isText(value)) own.set('charset', 'utf-8');
  else if (charset !== undefined) own.set('charset', charset);
  if (name !== undefined && !disposition) own.set('name', name);
  const decided = 'subParts' in content ? ['boundary'] : [...('text' in content ? ['charset'] : []), ...own.keys()];
  const others = [...given].filter(([parameter]) => !decided.includes(parameter));
  return composeContentField('Content-Type', value, new Map([...own, ...others]));
};

const contentDisposition = ({ disposition, name }: NewPart): ComposedField | undefined => {
  if (!disposition) return undefined;
  const parameters = new Map(disposition.parameters);
  if (name !== undefined) parameters.set('filename', name);
  return composeContentField('Content-Disposition', disposition.value, parameters);
};

const plainField = (name: string, value: string): ComposedField => ({ name, text: `${name}: ${value}` });

/** The fields of a part's header, in the order in which they are written. */
const partFields = (part: NewPart, boundary: string | undefined, body: EncodedBody | undefined): readonly ComposedField[] => {
  const { cid, language, location, fields } = part;
  return [
    ...fields,
    contentType(part, boundary),
    body && body.encoding !== '7bit' && plainField('Content-Transfer-Encoding', body.encoding),
    contentDisposition(part),
    cid !== undefined && composeField('Content-ID', { form: 'asMessageIds', value: [cid] }),
    language !== undefined && plainField('Content-Language', language.join(', ')),
    location !== undefined && composeField('Content-Location', { form: 'asText', value: location }),
  ].filter((field) => field !== undefined && field !== false);
};

const headerBlock = (fields: readonly ComposedField[]): Buffer => Buffer.from(fields.map(({ text }) => `${text}\r\n`).join(''));

const lineBreak = Buffer.from('\r\n');

/** The octets of a part: its header, an empty line, and its body. */
const composePart = (part: NewPart, ownFields: readonly ComposedField[], newBoundary: () => string): Buffer[] => {
  const { content } = part;
  if (!('subParts' in content)) {
    const body = 'text' in content ? encodeText(content.text, part.type.value) : encodeOctets(content.octets, part.type.value);
    return [headerBlock([...ownFields, ...partFields(part, undefined, body)]), lineBreak, body.octets];
  }
  const boundary = `${boundaryPrefix}${newBoundary()}`;
  return [
    headerBlock([...ownFields, ...partFields(part, boundary, undefined)]),
    ...content.subParts.flatMap((subPart) => [Buffer.from(`\r\n--${boundary}\r\n`), ...composePart(subPart, [], newBoundary)]),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ];
};

/**
 * Composes a raw message (RFC 5322, RFC 2045): lines end with CRLF and have at most 998 octets, and text is in UTF-8.
 * @param newBoundary returns random characters that nobody can guess, so that no message within the message contains
 * the boundary. Texts can't contain it.
 */
export const composeMessage = ({ fields, root }: NewMessage, newBoundary: () => string): Buffer => {
  const all = [...fields, ...root.fields];
  const version = all.some(({ name }) => name.toLowerCase() === 'mime-version') ? [] : [plainField('MIME-Version', '1.0')];
  return Buffer.concat(composePart(root, [...fields, ...version], newBoundary));
};

/** The body of a message as a client states it in lists (RFC 8621 §4.6). */
type NewBody<Octets> = { readonly text?: NewPart<Octets>; readonly html?: NewPart<Octets>; readonly attachments: readonly NewPart<Octets>[] };

const multipart = <Octets>(subtype: string, subParts: readonly NewPart<Octets>[], parameters?: ReadonlyMap<string, string>): NewPart<Octets> => ({
  type: { value: `multipart/${subtype}`, ...(parameters && { parameters }) },
  fields: [],
  content: { subParts },
});

/** Whether the HTML displays the part itself, by its Content-ID or Content-Location (RFC 2387, RFC 2557). */
const isRelated = ({ cid, location, disposition }: NewPart<unknown>): boolean =>
  (cid !== undefined || location !== undefined) && (!disposition || disposition.value === 'inline');

/** The part with its disposition. The default is `attachment`, and within multipart/related `inline`. */
const withDisposition = <Octets>(part: NewPart<Octets>, value: string): NewPart<Octets> => (part.disposition ? part : { ...part, disposition: { value } });

/** An empty text, for a message without any body part. */
const emptyText: NewPart<never> = { type: { value: 'text/plain' }, fields: [], content: { text: '' } };

/**
 * The structure of a message with these parts: multipart/mixed with the body and the files; in it multipart/alternative
 * of text and HTML; and in that multipart/related of the HTML and its inline parts. Levels with a single part are left
 * out.
 */
export const bodyStructureOf = <Octets>({ text, html, attachments }: NewBody<Octets>): NewPart<Octets> => {
  const related = html ? attachments.filter(isRelated).map((part) => withDisposition(part, 'inline')) : [];
  const files = attachments.filter((part) => !html || !isRelated(part)).map((part) => withDisposition(part, 'attachment'));
  const shown = html && related.length > 0 ? multipart('related', [html, ...related], new Map([['type', 'text/html']])) : html;
  const body = text && shown ? multipart('alternative', [text, shown]) : (text ?? shown);
  if (files.length > 0) return multipart('mixed', [...(body ? [body] : []), ...files]);
  return body ?? emptyText;
};
