/** Limits of the HTML of a mail. Above them the browser's parser, or the sanitizer, holds the page for seconds. */
const limits = { octets: 1_000_000, tags: 20_000, depth: 256, attributes: 2_000 };

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/**
 * Whether HTML is within the limits, by one pass over its characters, without parsing it. The depth counts each start tag
 * until an end tag, so tags without end tags count too.
 */
export const isWithinLimits = (html: string): boolean => {
  if (html.length > limits.octets) return false;
  let [tags, depth] = [0, 0];
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const code = html.charCodeAt(at + 1);
    if (code === 47) depth = Math.max(0, depth - 1);
    if (!isLetter(code)) continue;
    tags += 1;
    let [attributes, end] = [0, at + 1];
    for (; end < html.length; end += 1) {
      const each = html.charCodeAt(end);
      if (each === 62) break;
      if (each === 61) attributes += 1;
      if (attributes > limits.attributes) return false;
    }
    if (html.charCodeAt(end - 1) !== 47 && !/^<(?:br|img|hr|meta|link|input|col|wbr|area|base)\b/i.test(html.slice(at, at + 8))) depth += 1;
    if (tags > limits.tags || depth > limits.depth) return false;
    at = Math.max(at, end - 1);
  }
  return true;
};
