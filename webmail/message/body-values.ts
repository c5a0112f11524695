import type { BodyPart, EmailBody } from '../jmap/types.ts';

/** Whether the lines of a text part are flowed (RFC 3676). */
export const isFlowed = (part: BodyPart): boolean => /;\s*format\s*=\s*"?flowed/i.test((part['header:Content-Type'] ?? '').slice(0, 500));

export const valueOf = (body: EmailBody, { partId }: BodyPart): string => body.bodyValues[partId ?? '']?.value ?? '';

/** The HTML of a message; empty for one without. */
export const htmlOf = (body: EmailBody): string =>
  body.htmlBody
    .filter(({ type }) => type === 'text/html')
    .map((part) => valueOf(body, part))
    .join('<hr>');
