import { parseStructure } from '../../mime/body/body-structure.ts';
import { BoundaryScanner } from '../../mime/body/boundary-scanner.ts';
import { base64Text, is7bit, isMostlyAscii, quotedPrintableText } from '../../mime/compose/compose-body.ts';
import { parseContentField } from '../../mime/header/content-field.ts';
import { parseLastFields } from '../../mime/header/header-fields.ts';
import { carriageReturn, lineFeed, maxLineOctets } from '../../mime/lines.ts';
import type { BodyPart } from '../../mime/parsed-email.ts';
import { decodeTransferEncoding } from '../../mime/encoding/transfer-encoding.ts';
import { UnsendableMessage, wireMessageHeader, wirePartHeader, type RequiredFields } from './wire-header.ts';

/** Octets that replace a range of the message. */
type Edit = { readonly start: number; readonly end: number; readonly octets: Buffer };

type EncodedBody = { readonly encoding: 'quoted-printable' | 'base64'; readonly octets: Buffer };

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
const encodeBody = (content: Buffer, isText: boolean): EncodedBody => {
  const text = isText && isMostlyAscii(content) ? quotedPrintableText(withWholeLineBreaks(content)) : undefined;
  if (text && !mayDelimit(text)) return { encoding: 'quoted-printable', octets: text };
  return { encoding: 'base64', octets: base64Text(content).subarray(0, -lineBreak.length) };
};

/** The header fields of a part, as octets. */
const fieldsOf = (message: Buffer, { headers }: BodyPart) => parseLastFields(message.subarray(headers.start, headers.end));

/** The body of a leaf in another encoding. Undefined for a multipart, and when only line breaks must change. */
const reencodedBody = (message: Buffer, part: BodyPart): EncodedBody | undefined => {
  const body = message.subarray(part.range!.start, part.range!.end);
  const fields = fieldsOf(message, part);
  const isBinary = parseContentField(fields.get('content-transfer-encoding'))?.value === 'binary';
  const isText = part.type.startsWith('text/') && !isBinary;
  if (is7bit(isText || part.encoding !== 'identity' ? withWholeLineBreaks(body) : body)) return undefined;
  if (part.encoding === undefined || parseContentField(fields.get('content-type'))?.value.startsWith('multipart/')) return undefined;
  return encodeBody(decodeTransferEncoding(body, part.encoding), isText);
};

/**
 * Whether fields can be added to the header of a part. A part without an empty line after its header fields does not
 * permit it (RFC 2046 §5.1).
 */
const hasHeader = ({ headers, range }: BodyPart): boolean => !range || range.start > headers.end;

const isPlainHeader = (block: Buffer): boolean => is7bit(withWholeLineBreaks(block));

/** The edits that make the parts sendable. Parts within a multipart/signed are not edited (RFC 1847 §2.1). */
const partEdits = (message: Buffer, parts: readonly BodyPart[]): Edit[] => parts.flatMap((part): Edit[] => {
  const body = part.subParts || !hasHeader(part) ? undefined : reencodedBody(message, part);
  const block = message.subarray(part.headers.start, part.headers.end);
  const header = body || !isPlainHeader(block) ? [{ ...part.headers, octets: wirePartHeader(block, body?.encoding) }] : [];
  return [
    ...hasHeader(part) ? header : [],
    ...body ? [{ ...part.range!, octets: body.octets }] : [],
    ...part.subParts && part.type !== 'multipart/signed' ? partEdits(message, part.subParts) : [],
  ];
});

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

/** The body in the form in which it is sent, and its new encoding if the message is a single part. */
const wireBody = (message: Buffer, bodyStart: number): { readonly octets: Buffer; readonly encoding: string | undefined } => {
  const body = message.subarray(bodyStart);
  if (is7bit(body)) return { octets: body, encoding: undefined };
  const { root } = parseStructure(message);
  const whole = root.subParts ? undefined : reencodedBody(message, root);
  if (whole) return { ...whole, octets: whole.encoding === 'base64' ? Buffer.concat([whole.octets, lineBreak]) : whole.octets };
  const parts = root.subParts && root.type !== 'multipart/signed' ? partEdits(message, root.subParts) : [];
  const octets = applyEdits(message, bodyStart, parts);
  checkLineLengths(octets);
  return { octets, encoding: undefined };
};

/**
 * The message (RFC 5322) in the form in which it is sent: without Bcc and other fields that do not leave the account,
 * with Date and Message-ID, and with lines of at most 998 octets that end with CRLF. SES advises against octets beyond
 * ASCII: parts with such octets, or with lines that are too long, are encoded. Everything else is unchanged.
 * @param required values for missing fields.
 * @throws UnsendableMessage for a message that cannot be sent.
 */
export const wireMessage = (message: Buffer, required: RequiredFields): Buffer => {
  const { end, bodyStart } = new BoundaryScanner(message).headerEnd(0);
  const body = wireBody(message, bodyStart);
  const header = wireMessageHeader(message.subarray(0, end), required, body.encoding);
  return Buffer.concat([header, lineBreak, body.octets]);
};
