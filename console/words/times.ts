const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** `3 minutes ago`, `in 2 days`. */
export const relativeTime = (at: string, now: number): string => {
  const seconds = Math.round((Date.parse(at) - now) / 1_000);
  const [unit, length] = units.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / length), unit);
};

/** A time to the second with its zone. */
export const fullTime = (at: string, timeZone: string | undefined): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'long', timeZone }).format(new Date(at));

/** `2 days, 3 hours`; `59 minutes, 3 seconds`: the two largest units. Narrow: `59m 3s`. */
export const formatDuration = (seconds: number, unitDisplay: 'long' | 'narrow' = 'long'): string => {
  const parts = units.map(([unit, length], index) => {
    const above = units[index - 1]?.[1];
    return { unit, count: Math.floor((above === undefined ? seconds : seconds % above) / length) };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  const shown = (first < 0 ? parts.slice(-1) : parts.slice(first, first + 2)).filter(({ count }, index) => index === 0 || count > 0);
  return shown
    .map(({ unit, count }) => new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay }).format(count))
    .join(unitDisplay === 'long' ? ', ' : ' ');
};
