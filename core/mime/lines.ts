/** Helpers for the lines of a message, which end with a line feed. */

export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;

/** Maximum octets of a line (RFC 5322 §2.1.1), without its line break. */
export const maxLineOctets = 998;

/** Octets that are compared one by one before `indexOf` is called, because the call takes as long as 50 comparisons. */
const nearby = 64;

/** The position after the first line feed at or after `position`. Without a line feed, the end of the octets. */
export const nextLine = (octets: Buffer, position: number): number => {
  const near = Math.min(position + nearby, octets.length);
  for (let index = position; index < near; index += 1) if (octets[index] === lineFeed) return index + 1;
  const feed = octets.indexOf(lineFeed, near);
  return feed < 0 ? octets.length : feed + 1;
};

/** The end of the line that starts at `start`, without its line break. @param next the start of the next line. */
export const withoutLineBreak = (octets: Buffer, start: number, next: number): number => {
  const feed = octets[next - 1] === lineFeed ? next - 1 : next;
  return feed > start && octets[feed - 1] === carriageReturn ? feed - 1 : feed;
};
