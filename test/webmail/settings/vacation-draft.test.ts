import type { VacationResponse } from '../../../webmail/jmap/types.ts';
import { draftOf, endsBeforeBegin, patchOf } from '../../../webmail/settings/vacation-draft.ts';
import { awayNote } from '../../../webmail/words/words.ts';

const none: VacationResponse = { isEnabled: false, fromDate: null, toDate: null, subject: null, textBody: null, htmlBody: null };
const utc = (...local: [number, number, number, number?]): string => new Date(...local).toISOString().replace('.000Z', 'Z');

test('days begin and end at midnight of the person, and come back as they were typed', () => {
  const draft = { isEnabled: true, firstDay: '2026-03-29', lastDay: '2026-10-25', subject: 'Away', text: 'Back soon.' };
  const patch = patchOf(none, draft);
  expect(patch).toEqual({ isEnabled: true, fromDate: utc(2026, 2, 29), toDate: utc(2026, 9, 26), subject: 'Away', textBody: 'Back soon.', htmlBody: null });
  expect(draftOf({ ...none, ...patch })).toEqual(draft);
  expect(patchOf({ ...none, ...patch }, draft)).toEqual({});
});

test('what was not changed is not sent: times of another program, and HTML beside its text', () => {
  const stored = { ...none, isEnabled: true, fromDate: utc(2026, 11, 1, 9), toDate: utc(2026, 11, 3, 17), textBody: 'Away', htmlBody: '<p>Away' };
  const draft = draftOf(stored);
  expect(draft).toMatchObject({ firstDay: '2026-12-01', lastDay: '2026-12-03' });
  expect(patchOf(stored, { ...draft, isEnabled: false, subject: 'Gone' })).toEqual({ isEnabled: false, subject: 'Gone' });
  expect(patchOf(stored, { ...draft, lastDay: '' })).toEqual({ toDate: null });
  expect(patchOf(stored, { ...draft, text: '' })).toEqual({ textBody: null, htmlBody: null });
});

test.each([
  ['2026-12-02', '2026-12-01', true],
  ['2026-12-01', '2026-12-01', false],
  ['', '2026-12-01', false],
  ['2026-12-01', '', false],
])('a response from %j to %j ends before it begins: %s', (firstDay, lastDay, isWrong) =>
  expect(endsBeforeBegin({ ...draftOf(none), firstDay, lastDay })).toBe(isWrong),
);

test.each([
  [{}, /^Vacation response is on\.$/],
  [{ isEnabled: false }, undefined],
  [{ fromDate: utc(2026, 11, 2) }, undefined],
  [{ fromDate: utc(2026, 11, 1), toDate: utc(2026, 11, 2) }, /until .*\b1\b.*2026|2026.*\b1\b/],
  [{ toDate: utc(2026, 11, 1, 12) }, undefined],
])('at noon of 1 December, a response with %j is said as %s', (changed, said) => {
  const note = awayNote({ ...none, isEnabled: true, ...changed }, new Date(2026, 11, 1, 12).getTime());
  if (said) expect(note).toMatch(said);
  else expect(note).toBeUndefined();
});
