import type { MailEvent } from './mail-network/mail-event.ts';

const time = (at: Date): string => at.toTimeString().slice(0, 8);

/** A line of the running sandbox's log: when, what kind of thing, what happened. */
export const activityLine = (kind: string, text: string, at: Date = new Date()): string => `${time(at)}  ${kind.padEnd(9)}${text}`;

const quoted = (subject: string | undefined): string => subject ? ` “${subject}”` : '';
const kinds = { received: 'mail in', sent: 'mail out', refused: 'refused', failed: 'error' } as const;

export const mailLine = (event: MailEvent, at?: Date): string => {
  const why = event.reason ? `: ${event.reason}` : '';
  return activityLine(kinds[event.kind], `${event.from || '<>'} → ${event.to.join(', ')}${quoted(event.subject)}${why}`, at);
};
