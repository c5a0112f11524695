import type { VacationResponse } from '../jmap/types.ts';

/** A vacation response as its fields have it. Days are `YYYY-MM-DD` in the person's time zone, or empty. */
export type VacationDraft = {
  readonly isEnabled: boolean;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly subject: string;
  readonly text: string;
};

const dayOf = (time: number): string => {
  const date = new Date(time);
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
};

/** The beginning of a day, some days later, as a UTCDate (RFC 8620 §1.4). Null without a day. */
const startOf = (day: string, daysLater = 0): string | null => {
  if (day === '') return null;
  const date = new Date(`${day}T00:00`);
  // Not 24 hours: a day on which the clocks change is shorter or longer.
  date.setDate(date.getDate() + daysLater);
  return date.toISOString().replace('.000Z', 'Z');
};

export const draftOf = ({ isEnabled, fromDate, toDate, subject, textBody }: VacationResponse): VacationDraft => ({
  isEnabled,
  firstDay: fromDate === null ? '' : dayOf(Date.parse(fromDate)),
  // The end is the first moment without responses.
  lastDay: toDate === null ? '' : dayOf(Date.parse(toDate) - 1),
  subject: subject ?? '',
  text: textBody ?? '',
});

/** Whether it would end before it begins. */
export const endsBeforeBegin = ({ firstDay, lastDay }: VacationDraft): boolean => firstDay !== '' && lastDay !== '' && lastDay < firstDay;

/** The properties that a person changed. A time that another program stored remains while its day does, and so does HTML while the text does. */
export const patchOf = (stored: VacationResponse, draft: VacationDraft): Partial<VacationResponse> => {
  const before = draftOf(stored);
  return {
    ...(draft.isEnabled !== before.isEnabled && { isEnabled: draft.isEnabled }),
    ...(draft.firstDay !== before.firstDay && { fromDate: startOf(draft.firstDay) }),
    ...(draft.lastDay !== before.lastDay && { toDate: startOf(draft.lastDay, 1) }),
    ...(draft.subject !== before.subject && { subject: draft.subject || null }),
    ...(draft.text !== before.text && { textBody: draft.text || null, htmlBody: null }),
  };
};
