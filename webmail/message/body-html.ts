import type { BodyPart, EmailBody } from '../jmap/types.ts';

/** The text of a part of a message. */
export const valueOf = (body: EmailBody, { partId }: Pick<BodyPart, 'partId'>): string => body.bodyValues[partId ?? '']?.value ?? '';

/** The HTML of a message as it came. Empty for a message in plain text. */
export const rawHtmlOf = (body: EmailBody): string =>
  body.htmlBody
    .filter(({ type }) => type === 'text/html')
    .map((part) => valueOf(body, part))
    .join('<hr>');

/** The text of HTML that is not shown as it was made, by a pass that reads no markup. */
export const roughText = (html: string): string => {
  const text = html
    .slice(0, 2_000_000)
    .split('<')
    .map((piece, index) => (index === 0 ? piece : piece.slice(piece.indexOf('>') + 1)))
    .join(' ')
    .replaceAll('&nbsp;', ' ');
  const lines = text.split('\n').map((line) => line.split(' ').filter(Boolean).join(' '));
  return lines.filter((line, index) => line !== '' || lines[index - 1] !== '').join('\n');
};
