import { parseDateTime } from '../../../../core/mime/header/date-time.ts';

test.each([
  ['Sat, 21 Nov 2026 08:38:00 +0100', '2026-11-21T08:38:00+01:00'],
  ['21 Nov 2026 08:38 -0730', '2026-11-21T08:38:00-07:30'],
  ['Sat, 21 Nov 2026 08:38:00 GMT', '2026-11-21T08:38:00Z'],
  ['Sat, 21 Nov 2026 08:38:00 +0000 (UTC)', '2026-11-21T08:38:00Z'],
  ['Sat, 21 Nov 2026 08:38:00 -0000', '2026-11-21T08:38:00Z'],
  ['Sat, 21 Nov 2026 08:38:00 EST', '2026-11-21T08:38:00-05:00'],
  ['Sat, 21 Nov 2026 08:38:00', '2026-11-21T08:38:00Z'],
  ['Fri, 1 Jan 99 00:00:00 +0000', '1999-01-01T00:00:00Z'],
  ['1 Jan 01 00:00:00 +0000', '2001-01-01T00:00:00Z'],
  ['Sat (Saturday), 21 (!) Nov 2026 08:38:00 +0100', '2026-11-21T08:38:00+01:00'],
  ['Saturday, 21-November-2026 8:38:00 +01:00', '2026-11-21T08:38:00+01:00'],
  ['Thu, 31 Dec 2026 23:59:60 +0000', '2026-12-31T23:59:59Z'],
])('parseDateTime(%j) is %j', (value, text) => {
  expect(parseDateTime(value)?.text).toBe(text);
});

test('parseDateTime converts the time to UTC', () => {
  expect(parseDateTime('Sat, 21 Nov 2026 08:38:00 +0100')?.time).toBe(Date.UTC(2026, 10, 21, 7, 38));
});

test.each([
  '',
  'yesterday',
  '32 Nov 2026 08:38:00 +0000',
  '30 Feb 2026 08:38:00 +0000',
  '21 Xyz 2026 08:38:00 +0000',
  '21 Nov 2026 25:00:00 +0000',
  '21 Nov 2026 08:38:00 +9900',
])('parseDateTime(%j) is undefined', (value) => expect(parseDateTime(value)).toBeUndefined());
