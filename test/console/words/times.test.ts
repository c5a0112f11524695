import { formatDuration } from '../../../console/words/times.ts';

test.each([
  [0, '0 seconds', '0s'],
  [59, '59 seconds', '59s'],
  [60, '1 minute', '1m'],
  [200, '3 minutes, 20 seconds', '3m 20s'],
  [5_400, '1 hour, 30 minutes', '1h 30m'],
  [86_461, '1 day', '1d'],
])('%d seconds are written by their two largest units', (seconds, long, narrow) => {
  expect(formatDuration(seconds)).toBe(long);
  expect(formatDuration(seconds, 'narrow')).toBe(narrow);
});
