import { logLine } from '../../process/progress-report.ts';

/** An event of the mail network, for the sandbox's log. */
export type MailEvent = {
  /** `received` or `refused` by the SMTP server, `sent` by SES's API, `failed` because of an error. */
  readonly kind: 'received' | 'refused' | 'sent' | 'failed';
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId?: string;
  readonly subject?: string;
  /** The reason, as text for people. */
  readonly reason?: string;
};

export type OnMailEvent = (event: MailEvent) => void;

const quoted = (subject: string | undefined): string => (subject ? ` “${subject}”` : '');
const kinds = { received: 'mail in', sent: 'mail out', refused: 'refused', failed: 'error' } as const;

export const mailLogLine = (event: MailEvent, at?: Date): string => {
  const why = event.reason ? `: ${event.reason}` : '';
  return logLine(kinds[event.kind], `${event.from || '<>'} → ${event.to.join(', ')}${quoted(event.subject)}${why}`, at);
};
