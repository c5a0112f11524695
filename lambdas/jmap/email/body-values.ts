import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { bodyValue, type EmailBodyValue } from '../../../core/mime/body-value.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import type { Range, RawMessage } from './raw-message.ts';

/** The maximum size of a value in octets of UTF-8: `maxBodyValueBytes` (0: unlimited), but at most maxSizeBodyValue. */
const maxOctets = (maxBodyValueBytes: number): number =>
  Math.min(maxBodyValueBytes || unadvertisedLimits.maxSizeBodyValue, unadvertisedLimits.maxSizeBodyValue);

/**
 * The most octets of a raw message that so many octets of text need: quoted-printable triples them and adds soft line
 * breaks.
 */
const rawOctets = (octets: number): number => octets * 4 + 1024;

/** The range of the raw message to read for a part's value. A large part is read only up to the maximum size. */
export const bodyValueRange = (part: BodyPart, maxBodyValueBytes: number): Range => {
  const { start, end } = part.range!;
  return { start, end: Math.min(end, start + rawOctets(maxOctets(maxBodyValueBytes))) };
};

/** The EmailBodyValue of a part, truncated to the maximum size (RFC 8621 §4.1.4). */
export const toEmailBodyValue = (part: BodyPart, raw: RawMessage, maxBodyValueBytes: number): EmailBodyValue =>
  bodyValue(raw.bytes(bodyValueRange(part, maxBodyValueBytes)), part, maxOctets(maxBodyValueBytes));
