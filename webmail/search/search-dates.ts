const relativeDate = /^(\d{1,4})([dwmy])$/;
const calendarDate = /^([12]\d{3})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?$/;

const daysIn = (year: number, month: number): number => new Date(year, month + 1, 0).getDate();

/** The day some months before a day. A month that has no such day takes its last one. */
const monthsBefore = (day: Date, months: number): Date => {
  const first = new Date(day.getFullYear(), day.getMonth() - months, 1);
  return new Date(first.getFullYear(), first.getMonth(), Math.min(day.getDate(), daysIn(first.getFullYear(), first.getMonth())));
};

const daysBefore = (day: Date, days: number): Date => new Date(day.getFullYear(), day.getMonth(), day.getDate() - days);

/**
 * The start of the day that a person names, in the local time zone: `2026-11-30`, `2026-11`, `2026`, `today`,
 * `yesterday`, or `7d`, `2w`, `3m`, `1y` before today. Undefined when the text is not a date.
 */
export const searchDate = (text: string, now: Date): Date | undefined => {
  const name = text.toLowerCase();
  if (name === 'today') return daysBefore(now, 0);
  if (name === 'yesterday') return daysBefore(now, 1);
  const relative = relativeDate.exec(name);
  if (relative) {
    const count = Number(relative[1]);
    if (relative[2] === 'd' || relative[2] === 'w') return daysBefore(now, relative[2] === 'w' ? 7 * count : count);
    return monthsBefore(now, relative[2] === 'y' ? 12 * count : count);
  }
  const calendar = calendarDate.exec(name);
  if (!calendar) return undefined;
  const [year, month, day] = [Number(calendar[1]), Number(calendar[2] ?? 1) - 1, Number(calendar[3] ?? 1)];
  return month < 0 || month > 11 || day < 1 || day > daysIn(year, month) ? undefined : new Date(year, month, day);
};

/** A time as a UTCDate (RFC 8620 §1.4), not before 1970. */
export const utcDate = (time: Date): string => new Date(Math.max(0, time.getTime())).toISOString().replace('.000Z', 'Z');
