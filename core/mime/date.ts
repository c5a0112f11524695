/**
 * The names of the months in the languages of mail programs, without accents: English, German, French, Dutch, Swedish,
 * Danish, Norwegian, Spanish, Italian, Portuguese, Polish, Hungarian, Turkish and Russian. The Polish names of July and
 * November are those of other months in Croatian.
 */
const monthNames: readonly (readonly string[])[] = [
  'january januari janvier janner enero gennaio janeiro styczen stycznia ocak января',
  'february februari fevrier fevereiro lutego subat февраля',
  'march mars marz maart mrt marts marzo marco marzec marca marcius марта',
  'april avril aprile abril kwiecien kwietnia nisan апреля',
  'may mai maj mei mayo maggio maio maja majus mayis мая маи',
  'june juni juin junio giugno junho czerwiec czerwca haziran июня',
  'july juli juillet julio luglio julho temmuz июля',
  'august augusti aout augustus agosto sierpien sierpnia augusztus agustos августа',
  'september septembre septiembre settembre setembro wrzesien wrzesnia szeptember eylul сентября',
  'october oktober octobre octubre ottobre outubro pazdziernika ekim октября',
  'november novembre noviembre novembro kasim ноября',
  'december dezember decembre desember diciembre dicembre dezembro grudzien grudnia aralik декабря',
].map((names) => names.split(' '));

/** The month of a name or of its first letters, from 0. -1: no month, or two of them (`jui`). */
const monthOf = (name: string): number => {
  const [month = -1, another] = monthNames.flatMap((names, index) => (names.some((each) => each.startsWith(name)) ? [index] : []));
  return another === undefined ? month : -1;
};

/**
 * Minutes east of UTC of zone names: those of RFC 5322 §4.3, and others that stand for one zone only. `IST` and `BST`
 * stand for several.
 */
const namedZones: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  wet: 0,
  west: 60,
  cet: 60,
  met: 60,
  mez: 60,
  cest: 120,
  mest: 120,
  mesz: 120,
  eet: 120,
  eest: 180,
  sgt: 480,
  hkt: 480,
  awst: 480,
  jst: 540,
  kst: 540,
  acst: 570,
  acdt: 630,
  aest: 600,
  aedt: 660,
  nzst: 720,
  nzdt: 780,
  brst: -120,
  brt: -180,
  art: -180,
  ndt: -150,
  nst: -210,
  adt: -180,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  akst: -540,
  akdt: -480,
  hst: -600,
};

const weekday = /(?:\p{L}{1,13}(?:[., ]+|(?=\d)))?/u.source;
const month = /(?<month>\p{L}{3,12})\.?/u.source;
const day = String.raw`(?<day>\d{1,2})`;
const year = String.raw`(?<year>\d{2,4})(?!\d)`;
const fullYears = String.raw`(?<year>\d{4})(?!\d)`;
const time = String.raw`(?<hour>\d{1,2})[:.](?<minute>\d{2})(?:[:.](?<second>\d{2})(?:[.,]\d{1,9})?)?(?!\d)(?: ?(?<half>[ap])\.? ?m\b\.?)?`;
const zone = String.raw` ?(?<zone>[a-z]{1,5}(?![a-z]))? ?(?:(?<sign>[+-])(?<offset>\d{1,2}:\d{2}|\d{4}|\d{1,3}))?`;

/** The forms in which mail of the last decades has dates. */
const forms = [
  // RFC 5322 §3.3 and §4.3: `Sat, 21 Nov 2026 08:38:00 +0100`.
  `${day}[ ./-]+(?:de )?${month}[ .,/-]+(?:de )?${year},? ${time}${zone}`,
  // `Sat, Nov 21 2026 08:38:00 +0100`
  `${month} ${day}(?:st|nd|rd|th)?,? ${fullYears},? (?:at )?${time}${zone}`,
  // C's asctime, with a zone before the year or behind it: `Sat Nov 21 08:38:00 2026`.
  `${month} ${day},? ${time} ${fullYears}${zone}`,
  `${month} ${day},? ${time}${zone} ${fullYears}`,
  // ISO 8601: `2026-11-21T08:38:00+01:00`.
  `${fullYears}[-/.](?<number>\\d{1,2})[-/.]${day}(?:t|,? )${time}${zone}`,
  // German: `21.11.2026 08:38:00 +0100`.
  `${day}\\. ?(?<number>\\d{1,2})\\. ?${fullYears},? ${time}${zone}`,
].map((form) => new RegExp(`^${weekday}${form}`, 'u'));

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

/** Minutes east of UTC of digits such as `2`, `02`, `200`, `0200` and `02:00`. NaN: no offset. */
const offsetOf = (digits: string): number => {
  const [hours = '', minutes = '0'] = digits.includes(':') || digits.length <= 2 ? digits.split(':') : [digits.slice(0, -2), digits.slice(-2)];
  return Number(minutes) < 60 ? Number(hours) * 60 + Number(minutes) : NaN;
};

/** The hour of a clock of 24 hours. NaN: no hour. */
const hourOf = (digits: string, half: string | undefined): number => {
  const hour = Number(digits);
  if (half === undefined || (hour > 12 && half === 'p')) return hour < 24 ? hour : NaN;
  return hour === 0 || hour > 12 ? NaN : (hour % 12) + (half === 'p' ? 12 : 0);
};

/** The text in lower case, without comments and accents, with single spaces. */
const plainText = (value: string): string =>
  value
    .slice(0, 200)
    .replaceAll(/\([^()]*\)/g, ' ')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();

/**
 * Parses a date-time of RFC 5322 §3.3, including obsolete and common wrong forms. A missing or unknown zone is UTC.
 * @returns undefined when the text is not a date, or is of an unknown form.
 */
export const parseDateTime = (value: string): ParsedDateTime | undefined => {
  const text = plainText(value);
  for (const form of forms) {
    const parsed = dateTimeOf(form.exec(text)?.groups);
    if (parsed) return parsed;
  }
  return undefined;
};

const dateTimeOf = (parts: Readonly<Record<string, string | undefined>> | undefined): ParsedDateTime | undefined => {
  if (!parts) return undefined;
  const { second = '0', sign, half, zone: zoneName = '' } = parts;
  const monthIndex = parts['number'] === undefined ? monthOf(parts['month']!) : Number(parts['number']) - 1;
  const [dayOfMonth, inYear, minute, hour] = [Number(parts['day']), fullYear(parts['year']!), Number(parts['minute']), hourOf(parts['hour']!, half)];
  const offset = sign ? (sign === '-' ? -1 : 1) * offsetOf(parts['offset']!) : (namedZones[zoneName] ?? 0);
  const local = new Date(Date.UTC(inYear, monthIndex, dayOfMonth, hour, minute, Math.min(Number(second), 59)));
  const isValid =
    monthIndex >= 0 &&
    monthIndex < 12 &&
    inYear >= 1900 &&
    !Number.isNaN(local.getTime()) &&
    minute < 60 &&
    Number(second) <= 60 &&
    local.getUTCDate() === dayOfMonth &&
    Math.abs(offset) < 24 * 60;
  if (!isValid) return undefined;
  return { text: `${local.toISOString().slice(0, 19)}${offsetText(offset)}`, time: local.getTime() - offset * 60_000 };
};
