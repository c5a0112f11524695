const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Minutes east of UTC of the zone names in RFC 5322 §4.3, and of two European names that mail programs write. */
const namedZones: Readonly<Record<string, number>> = {
  ut: 0, utc: 0, gmt: 0, z: 0, est: -300, edt: -240, cst: -360, cdt: -300, mst: -420, mdt: -360, pst: -480, pdt: -420, cet: 60, cest: 120,
};

const weekday = /(?:[a-z]{2,9}\.?\s*,?\s*)?/;
const date = /(\d{1,2})[\s-]+([a-z]{3})[a-z]{0,6}\.?,?[\s-]+(\d{2,4})/;
const time = /(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:\.\d{1,9})?)?/;
const zone = /(?:(?:gmt|utc)?([+-])(\d{2}):?(\d{2})|([a-z]{1,5}))?/;
const dateTime = new RegExp(`^${weekday.source}${date.source},?\\s+${time.source}\\s*${zone.source}`, 'i');

/** A year of two or three digits (RFC 5322 §4.3): 00 to 49 are in this century, all others count from 1900. */
const fullYear = (digits: string): number => {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return digits.length === 2 && year < 50 ? year + 2000 : year + 1900;
};

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A UTC offset in the form of RFC 3339: `Z` or `+01:00`. */
const offsetText = (minutes: number): string => {
  if (minutes === 0) return 'Z';
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
};

/** A date and time from a header field. */
export type ParsedDateTime = {
  /** The date as a JMAP Date (RFC 8620 §1.4), with the UTC offset of the field. */
  readonly text: string;
  /** The time in milliseconds since 1970. */
  readonly time: number;
};

/**
 * Parses a date-time of RFC 5322 §3.3, including obsolete and common wrong syntax. A missing or unknown zone is UTC.
 * @returns undefined when the text is not a date.
 */
export const parseDateTime = (value: string): ParsedDateTime | undefined => {
  const match = dateTime.exec(value.slice(0, 200).replaceAll(/\([^()]*\)/g, ' ').trim());
  if (!match) return undefined;
  const [, day = '', monthName = '', yearDigits = '', hour = '', minute = '', second = '0', ...zoneParts] = match;
  const [sign, zoneHours = '0', zoneMinutes = '0', zoneName = ''] = zoneParts;
  const month = months.indexOf(monthName.toLowerCase());
  const offset = sign ? (sign === '-' ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes)) : namedZones[zoneName.toLowerCase()] ?? 0;
  const year = fullYear(yearDigits);
  const local = new Date(Date.UTC(year, month, Number(day), Number(hour), Number(minute), Math.min(Number(second), 59)));
  const isValid = month >= 0 && year >= 1900 && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60
    && local.getUTCDate() === Number(day) && Math.abs(offset) < 24 * 60 && Number(zoneMinutes) < 60;
  if (!isValid) return undefined;
  return { text: `${local.toISOString().slice(0, 19)}${offsetText(offset)}`, time: local.getTime() - offset * 60_000 };
};
