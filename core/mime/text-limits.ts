/** Helpers that keep the texts of a message within the limits of its record (`parse-limits.ts`). */

const encoder = new TextEncoder();

/** The text truncated to at most this number of octets in UTF-8, never within a character. */
export const cutToOctets = (text: string, octets: number): string => {
  if (text.length * 3 <= octets) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.min(octets, text.length * 3)));
  return read === text.length ? text : text.slice(0, read);
};

/** Octets of the text as a JSON string, the longest encoding of the text in a record. */
export const storedOctets = (text: string | null): number => Buffer.byteLength(JSON.stringify(text), 'utf8');

/** A number of octets that several texts share. After the first text that does not fit, no other text fits. */
export class OctetBudget {
  #remaining: number;

  constructor(octets: number) {
    this.#remaining = octets;
  }

  /** Takes the octets from the budget. @returns whether they fit. */
  take(octets: number): boolean {
    this.#remaining -= octets;
    return this.#remaining >= 0;
  }
}
