import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { bodyValue, type EmailBodyValue } from '../../../core/mime/body-value.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import type { Range, RawMessage } from './raw-message.ts';

/** Octets of UTF-8 that a value has at most: as asked for (0: no limit), but never more than an answer can carry. */
const maxOctets = (asked: number): number => Math.min(asked || unadvertisedLimits.maxSizeBodyValue, unadvertisedLimits.maxSizeBodyValue);

/** Octets in the raw message that so many octets of text can take: quoted-printable triples, and soft line breaks cost something. */
const rawOctets = (octets: number): number => octets * 4 + 1024;

/** The range to read for a part's value: no more of a large part than will be shown. */
export const bodyValueRange = (part: BodyPart, asked: number): Range => {
  const { start, end } = part.range!;
  return { start, end: Math.min(end, start + rawOctets(maxOctets(asked))) };
};

/** The text of a part, cut to the octets asked for. */
export const toEmailBodyValue = (part: BodyPart, raw: RawMessage, asked: number): EmailBodyValue =>
  bodyValue(raw.bytes(bodyValueRange(part, asked)), part, maxOctets(asked));
