import { activityLine } from '../progress-report.ts';

/** Something that happened to mail, for the log of whoever runs the network. */
export type MailEvent = {
  /** `received` through the door, `refused` by it, `sent` by SES's API, `failed`: what should have worked and did not. */
  readonly kind: 'received' | 'refused' | 'sent' | 'failed';
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId?: string;
  readonly subject?: string;
  /** Why, in words. */
  readonly reason?: string;
};

export type Tell = (event: MailEvent) => void;

const quoted = (subject: string | undefined): string => subject ? ` “${subject}”` : '';
const kinds = { received: 'mail in', sent: 'mail out', refused: 'refused', failed: 'error' } as const;

export const mailLine = (event: MailEvent, at?: Date): string => {
  const why = event.reason ? `: ${event.reason}` : '';
  return activityLine(kinds[event.kind], `${event.from || '<>'} → ${event.to.join(', ')}${quoted(event.subject)}${why}`, at);
};
