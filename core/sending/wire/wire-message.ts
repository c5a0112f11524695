import { parseStructure } from '../../mime/body/body-structure.ts';
import { BoundaryScanner } from '../../mime/body/boundary-scanner.ts';
import { base64Text, is7bit, isMessageType, isMostlyAscii, quotedPrintableText } from '../../mime/compose/compose-body.ts';
import { composeContentField } from '../../mime/compose/compose-parameters.ts';
import { parseContentField } from '../../mime/content-type.ts';
import { decodeTransferEncoding } from '../../mime/encoding/transfer-encoding.ts';
import { parseLastFields } from '../../mime/header-fields.ts';
import { carriageReturn, lineFeed, maxLineOctets } from '../../mime/lines.ts';
import type { BodyPart } from '../../mime/parsed-email.ts';
import { UnsendableMessage, wireMessageHeader, wirePartHeader, type ReplacedFields, type RequiredFields } from './wire-header.ts';

/** Octets that replace a range of the message. */
type Edit = { readonly start: number; readonly end: number; readonly octets: Buffer };

/** The body of a part, and the fields of its header that describe it. */
type WireBody = { readonly octets: Buffer; readonly fields: ReplacedFields; readonly isBase64: boolean };

const inEncoding = (encoding: '7bit' | 'quoted-printable' | 'base64', octets: Buffer): WireBody => ({
  octets,
  fields: new Map([['content-transfer-encoding', `Content-Transfer-Encoding: ${encoding}`]]),
  isBase64: encoding === 'base64',
});

const lineBreak = Buffer.from('\r\n');
const space = 0x20;

/** Whether all line breaks are CRLF. */
const hasWholeLineBreaks = (octets: Buffer): boolean => {
  for (let at = octets.indexOf(lineFeed); at >= 0; at = octets.indexOf(lineFeed, at + 1)) if (octets[at - 1] !== carriageReturn) return false;
  for (let at = octets.indexOf(carriageReturn); at >= 0; at = octets.indexOf(carriageReturn, at + 1)) {
    if (octets[at + 1] !== lineFeed) return false;
  }
  return true;
};

/** The octets with CRLF at the end of every line. A carriage return elsewhere is replaced by a space. */
const withWholeLineBreaks = (octets: Buffer): Buffer => {
  if (hasWholeLineBreaks(octets)) return octets;
  const target = Buffer.allocUnsafe(2 * octets.length);
  let written = 0;
  for (let index = 0; index < octets.length; index += 1) {
    const octet = octets[index]!;
    if (octet === lineFeed && octets[index - 1] !== carriageReturn) target[written++] = carriageReturn;
    target[written++] = octet === carriageReturn && octets[index + 1] !== lineFeed ? space : octet;
  }
  return target.subarray(0, written);
};

/** Whether a line of the text begins like the delimiter of a multipart. */
const mayDelimit = (octets: Buffer): boolean => octets.indexOf('\n--') >= 0 || octets.indexOf('--') === 0;

/** The content in a transfer encoding that every relay accepts. Base64 can't contain a delimiter. */
const encodeBody = (content: Buffer, isText: boolean): WireBody => {
  const text = isText && isMostlyAscii(content) ? quotedPrintableText(withWholeLineBreaks(content)) : undefined;
  if (text && !mayDelimit(text)) return inEncoding('quoted-printable', text);
  return inEncoding('base64', base64Text(content).subarray(0, -lineBreak.length));
};

/** Maximum nesting levels of messages within messages that are converted. Deeper ones become files. */
const maxDepth = 4;

/**
 * A message within a message in 7bit: its parts are encoded, as RFC 6152 §3 describes for a relay. Undefined when that is
 * not possible, as for signed parts in 8bit.
 */
const sevenBitMessage = (message: Buffer, depth: number): Buffer | undefined => {
  try {
    const { end, bodyStart } = new BoundaryScanner(message).headerEnd(0);
    const body = wireBody(message, bodyStart, depth);
    const block = withWholeLineBreaks(message.subarray(0, end));
    const header = body.fields.size === 0 && is7bit(block) ? block : wirePartHeader(block, body.fields);
    const converted = Buffer.concat([header, ...(bodyStart > end ? [lineBreak] : []), body.octets]);
    return is7bit(converted) ? converted : undefined;
  } catch (error) {
    if (error instanceof UnsendableMessage) return undefined;
    throw error;
  }
};

/** The name of a file with a message. A mail program opens it by its ending. */
const messageFile = (name: string | undefined): string => (name === undefined ? 'message.eml' : /\.eml$/i.test(name) ? name : `${name}.eml`);

/**
 * The content of a part with a message, which may be neither base64 nor quoted-printable (RFC 2046 §5.2.1): in 7bit, or
 * else as a file in base64, in which the message is whole.
 * @param boundaries those of the multiparts around the part, which its content must not contain.
 */
const messageBody = (content: Buffer, part: BodyPart, boundaries: readonly string[], depth: number): WireBody => {
  const converted = part.type === 'message/rfc822' && depth < maxDepth ? sevenBitMessage(content, depth + 1) : is7bit(content) ? content : undefined;
  const mayEndPart = part.encoding !== 'identity' && boundaries.some((boundary) => content.includes(`--${boundary}`));
  if (converted && !mayEndPart) return inEncoding('7bit', converted);
  const { text } = composeContentField('Content-Type', 'application/octet-stream', new Map([['name', messageFile(part.name)]]));
  const file = encodeBody(content, false);
  return { ...file, fields: new Map([...file.fields, ['content-type', text]]) };
};

/** The header fields of a part, as octets. */
const fieldsOf = (message: Buffer, { headers }: BodyPart) => parseLastFields(message.subarray(headers.start, headers.end));

/** The body of a leaf in another encoding. Undefined for a multipart, and when only line breaks must change. */
const reencodedBody = (message: Buffer, part: BodyPart, boundaries: readonly string[], depth: number): WireBody | undefined => {
  const body = message.subarray(part.range!.start, part.range!.end);
  const fields = fieldsOf(message, part);
  const isMessage = isMessageType(part.type);
  const isBinary = parseContentField(fields.get('content-transfer-encoding'))?.value === 'binary';
  const isText = part.type.startsWith('text/') && !isBinary;
  const isSendable = is7bit(isText || isMessage || part.encoding !== 'identity' ? withWholeLineBreaks(body) : body);
  if (isSendable && !(isMessage && (part.encoding !== 'identity' || isBinary))) return undefined;
  if (part.encoding === undefined || parseContentField(fields.get('content-type'))?.value.startsWith('multipart/')) return undefined;
  const content = decodeTransferEncoding(body, part.encoding);
  return isMessage ? messageBody(content, part, boundaries, depth) : encodeBody(content, isText);
};

/**
 * Whether fields can be added to the header of a part. A part without an empty line after its header fields does not
 * permit it (RFC 2046 §5.1).
 */
const hasHeader = ({ headers, range }: BodyPart): boolean => !range || range.start > headers.end;

const isPlainHeader = (block: Buffer): boolean => is7bit(withWholeLineBreaks(block));

/** The edits that make the parts of a multipart sendable. Those of a multipart/signed are not edited (RFC 1847 §2.1). */
const partEdits = (message: Buffer, parent: BodyPart, outer: readonly string[], depth: number): Edit[] => {
  if (!parent.subParts || parent.type === 'multipart/signed') return [];
  const boundary = parseContentField(fieldsOf(message, parent).get('content-type'))?.parameters.get('boundary');
  const boundaries = boundary === undefined ? outer : [...outer, boundary];
  return parent.subParts.flatMap((part): Edit[] => {
    const body = part.subParts || !hasHeader(part) ? undefined : reencodedBody(message, part, boundaries, depth);
    const block = message.subarray(part.headers.start, part.headers.end);
    const header = body || !isPlainHeader(block) ? [{ ...part.headers, octets: wirePartHeader(block, body?.fields ?? new Map()) }] : [];
    return [...(hasHeader(part) ? header : []), ...(body ? [{ ...part.range!, octets: body.octets }] : []), ...partEdits(message, part, boundaries, depth)];
  });
};

/** The octets from `start`, with the edits applied. Between the edits, all line breaks become CRLF. */
const applyEdits = (message: Buffer, start: number, edits: readonly Edit[]): Buffer => {
  const pieces: Buffer[] = [];
  let position = start;
  for (const edit of edits) {
    pieces.push(withWholeLineBreaks(message.subarray(position, edit.start)), edit.octets);
    position = edit.end;
  }
  return Buffer.concat([...pieces, withWholeLineBreaks(message.subarray(position))]);
};

/** Checks line lengths. @throws UnsendableMessage for a line that is too long for SMTP. */
const checkLineLengths = (octets: Buffer): void => {
  for (let start = 0; start < octets.length;) {
    const feed = octets.indexOf(lineFeed, start);
    const end = feed < 0 ? octets.length : feed - 1;
    if (end - start > maxLineOctets) {
      throw new UnsendableMessage(`The message has a line of more than ${maxLineOctets} octets that cannot be encoded.`, ['bodyStructure']);
    }
    start = feed < 0 ? octets.length : feed + 1;
  }
};

/** The body of a message in the form in which it is sent. */
const wireBody = (message: Buffer, bodyStart: number, depth: number): WireBody => {
  const { root } = parseStructure(message);
  const whole = root.subParts ? undefined : reencodedBody(message, root, [], depth);
  if (whole) return { ...whole, octets: whole.isBase64 ? Buffer.concat([whole.octets, lineBreak]) : whole.octets };
  const octets = applyEdits(message, bodyStart, partEdits(message, root, [], depth));
  checkLineLengths(octets);
  return { octets, fields: new Map(), isBase64: false };
};

/** A message as an attachment that every relay accepts: in 7bit, or else the unchanged octets as a file. */
export const attachedMessage = (message: Buffer): { readonly type: string; readonly octets: Buffer } => {
  const octets = sevenBitMessage(message, 1);
  return octets ? { type: 'message/rfc822', octets } : { type: 'application/octet-stream', octets: message };
};

/**
 * The message (RFC 5322) in the form in which it is sent: without Bcc and other fields that do not leave the account,
 * with Date and Message-ID, and with lines of at most 998 octets that end with CRLF. SES advises against octets beyond
 * ASCII: parts with such octets, or with lines that are too long, are encoded, also in a message within the message.
 * Everything else is unchanged.
 * @param required values for missing fields.
 * @throws UnsendableMessage for a message that cannot be sent.
 */
export const wireMessage = (message: Buffer, required: RequiredFields): Buffer => {
  const { end, bodyStart } = new BoundaryScanner(message).headerEnd(0);
  const body = wireBody(message, bodyStart, 0);
  const header = wireMessageHeader(message.subarray(0, end), required, body.fields);
  return Buffer.concat([header, lineBreak, body.octets]);
};
