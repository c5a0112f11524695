import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { bodyValue, type EmailBodyValue } from '../../../core/mime/body/body-value.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import type { Range, RawMessage } from '../../../core/blobs/raw-message.ts';

/** Maximum octets of a value in UTF-8: `maxBodyValueBytes` (0: unlimited), but at most maxSizeBodyValue. */
const maxOctets = (maxBodyValueBytes: number): number =>
  Math.min(maxBodyValueBytes || unadvertisedLimits.maxSizeBodyValue, unadvertisedLimits.maxSizeBodyValue);

/** Maximum octets of a raw message for each octet of text, including the line breaks of each encoding. */
const rawOctetsPerOctet = { 'identity': 2, 'base64': 3, 'quoted-printable': 4 } as const;

/** The range of the raw message that the value of a part needs. A large part is read only up to the maximum size. */
export const bodyValueRange = ({ range, encoding }: BodyPart, maxBodyValueBytes: number): Range => {
  const { start, end } = range!;
  return { start, end: Math.min(end, start + maxOctets(maxBodyValueBytes) * rawOctetsPerOctet[encoding ?? 'identity'] + 1024) };
};

/** Maximum octets for one UTF-16 unit of the value: a CRLF in UTF-16. */
const maxOctetsPerCharacter = 4;

/**
 * Minimum characters of the part's value. A response that is too large is refused by this estimate, before the part is
 * read.
 */
export const minValueLength = ({ size }: BodyPart, maxBodyValueBytes: number): number =>
  Math.min(size, maxOctets(maxBodyValueBytes)) / maxOctetsPerCharacter;

/** The EmailBodyValue of a part, truncated to the maximum size (RFC 8621 §4.1.4). */
export const toEmailBodyValue = (part: BodyPart, raw: RawMessage, maxBodyValueBytes: number): EmailBodyValue =>
  bodyValue(raw.bytes(bodyValueRange(part, maxBodyValueBytes)), part, maxOctets(maxBodyValueBytes));
