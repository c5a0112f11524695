/** The parts of an HTML form that the hosted sign-in needs. */
export type HtmlForm = {
  readonly action: string;
  /** All fields with a name; `value` is the page's initial value. */
  readonly fields: readonly { readonly name: string; readonly type: string; readonly value: string }[];
};

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const decodeEntities = (text: string): string => text.replace(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (whole, name: string) => {
  if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole;
  return String.fromCodePoint(name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
});

const attribute = (tag: string, name: string): string | undefined => {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(tag);
  return match ? decodeEntities(match[1] ?? match[2] ?? match[3] ?? '') : undefined;
};

/** The forms of a page, in document order. */
export const parseForms = (html: string): HtmlForm[] =>
  [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, attributes = '', inside = '']) => ({
    action: attribute(attributes, 'action') ?? '',
    fields: [...inside.matchAll(/<(?:input|button)\b[^>]*>/gi)].flatMap(([tag]) => {
      const name = attribute(tag, 'name');
      return name ? [{ name, type: (attribute(tag, 'type') ?? 'text').toLowerCase(), value: attribute(tag, 'value') ?? '' }] : [];
    }),
  }));

/** The page's error message: the text of the first element with a class that begins with `error`. */
export const errorMessageIn = (html: string): string | undefined => {
  const text = /<(\w+)\b[^>]*class="[^"]*\berror[^"]*"[^>]*>([\s\S]*?)<\/\1>/i.exec(html)?.[2];
  return text ? decodeEntities(text.replaceAll(/<[^>]*>/g, '')).trim() || undefined : undefined;
};
