/**
 * Limits of the HTML of a mail, above which the browser's parser holds the page for seconds. Formatting that is left open,
 * such as `<b>`, is opened once more in every element that follows (HTML §13.2.4.3): `repeated` is the sum of these.
 */
const limits = { octets: 1_000_000, tags: 20_000, unclosed: 256, unclosedOptional: 2_000, repeated: 100_000 };

/** Elements without content. */
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose end tags are often left out, because the next one of them ends them. */
const optional = new Set('p li dt dd td th tr tbody thead tfoot option'.split(' '));
const formatting = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** Characters of a tag's name beyond which it is no known name. */
const longestName = 30;

const nameAt = (html: string, start: number): string => {
  let end = start;
  for (; end - start < longestName && end < html.length; end += 1) {
    const code = html.charCodeAt(end);
    if (code <= 32 || code === 47 || code === 62) break;
  }
  return html.slice(start, end).toLowerCase();
};

const placeOf = (mark: string, html: string, from: number): number => {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found;
};

/** Where a tag ends: at the first `>` that is not in a quoted value. */
const endOfTag = (html: string, start: number): number => {
  for (let end = start; end < html.length; end += 1) {
    const code = html.charCodeAt(end);
    if (code === 62) return end;
    if (code !== 61) continue;
    while (html.charCodeAt(end + 1) <= 32) end += 1;
    const quote = html[end + 1];
    if (quote === '"' || quote === "'") end = placeOf(quote, html, end + 2);
  }
  return html.length;
};

/** Where what begins with `<!` or `<?` ends. */
const endOfComment = (html: string, at: number): number =>
  placeOf(html.startsWith('<!--', at) ? '-->' : html.startsWith('<![CDATA[', at) ? ']]>' : '>', html, at);

/**
 * Whether a parser reads HTML without delay: one pass over its characters. In a tag or a comment, start tags count and end
 * tags don't, so that in doubt more is counted as open than is.
 * @param times the limits are taken.
 */
export const isWithinLimits = (html: string, times = 1): boolean => {
  if (html.length > times * limits.octets) return false;
  const unclosed = new Map<string, number>();
  let [tags, unclosedOptional, unclosedOther, formattingOpen, repeated, quietUntil] = [0, 0, 0, 0, 0, 0];
  const count = (name: string, by: 1 | -1): boolean => {
    const known = unclosed.get(name) ?? 0;
    if (known + by < 0) return false;
    unclosed.set(name, known + by);
    if (optional.has(name)) unclosedOptional += by;
    else unclosedOther += by;
    if (formatting.has(name)) formattingOpen += by;
    return true;
  };
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const next = html.charCodeAt(at + 1);
    const isEnd = next === 47;
    const start = isEnd ? at + 2 : at + 1;
    const isQuiet = at < quietUntil;
    if ((next === 33 || next === 63) && !isQuiet) quietUntil = endOfComment(html, at);
    if (!isLetter(html.charCodeAt(start))) continue;
    const name = nameAt(html, start);
    // An end tag without a start tag may make an element, as `</p>` does.
    if (isEnd && (isQuiet || count(name, -1))) continue;
    tags += 1;
    repeated += formattingOpen;
    if (!isEnd && !empty.has(name)) count(name, 1);
    if (!isQuiet) quietUntil = endOfTag(html, start);
    if (tags > times * limits.tags || unclosedOther > limits.unclosed || unclosedOptional > limits.unclosedOptional || repeated > limits.repeated) return false;
  }
  return true;
};
