import { furtherLimits } from '../../../contract/jmap/core.ts';
import { bodyValue, type EmailBodyValue } from '../../../core/mime/body-value.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import type { Range, RawMessage } from './raw-message.ts';

/** Octets of UTF-8 that a value has at most: as asked for (0: no limit), but never more than an answer can carry. */
const mostOctets = (asked: number): number => Math.min(asked || furtherLimits.maxSizeBodyValue, furtherLimits.maxSizeBodyValue);

/** Octets in the raw message that so many octets of text can take: quoted-printable triples, and soft line breaks cost something. */
const rawOctets = (octets: number): number => octets * 4 + 1024;

/** The range to read for a part's value: no more of a large part than will be shown. */
export const valueRange = (part: BodyPart, asked: number): Range => {
  const { start, end } = part.range!;
  return { start, end: Math.min(end, start + rawOctets(mostOctets(asked))) };
};

/** The text of a part, cut to the octets asked for. */
export const partValue = (part: BodyPart, raw: RawMessage, asked: number): EmailBodyValue =>
  bodyValue(raw.bytes(valueRange(part, asked)), part, mostOctets(asked));
