import type { BodyPart, EmailBody } from '../jmap/types.ts';

/** The text of a part of a message. */
export const valueOf = (body: EmailBody, { partId }: Pick<BodyPart, 'partId'>): string => body.bodyValues[partId ?? '']?.value ?? '';

/** The HTML of a message as it came. Empty for a message in plain text. */
export const rawHtmlOf = (body: EmailBody): string =>
  body.htmlBody
    .filter(({ type }) => type === 'text/html')
    .map((part) => valueOf(body, part))
    .join('<hr>');

/** The rest of a text after a tag or a comment, of which it begins after its `<`. */
const afterTag = (piece: string): string => {
  if (/^(?:style|script)\b/i.test(piece)) return '';
  const comment = piece.startsWith('!--') ? piece.indexOf('-->') : -1;
  return piece.slice(comment < 0 ? piece.indexOf('>') + 1 : comment + '-->'.length);
};

/** The characters that HTML writes as references most often. */
const references: Readonly<Record<string, string>> = { nbsp: ' ', lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** The text of HTML that is not shown as it was made, by a pass that builds no document. */
export const roughText = (html: string): string => {
  const text = html
    .slice(0, 2_000_000)
    .split('<')
    .map((piece, index) => (index === 0 ? piece : afterTag(piece)))
    .join(' ')
    .replaceAll(/&(nbsp|lt|gt|quot|#39|amp);/g, (_, name: string) => references[name]!);
  const lines = text.split('\n').map((line) => line.split(' ').filter(Boolean).join(' '));
  return lines.filter((line, index) => line !== '' || lines[index - 1] !== '').join('\n');
};
