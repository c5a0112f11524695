import { baseSubject } from '../../../core/mime/base-subject.ts';

test.each([
  ['Hello', 'hello'],
  ['Re: Hello', 'hello'],
  ['RE:   Re: re : Hello', 'hello'],
  ['Fwd: FW: Hello', 'hello'],
  ['Re[2]: Hello', 'hello'],
  ['Re [Bug 7] : Hello', 'hello'],
  ['[list] Re: Hello', 'hello'],
  ['Re: [list] [more] Hello', 'hello'],
  ['Hello (fwd)', 'hello'],
  ['Re: Hello (fwd) (fwd)  ', 'hello'],
  ['[Fwd: Re: Hello]', 'hello'],
  ['[Fwd: [Fwd: Hello (fwd)]]', 'hello'],
  ['Hello\t  there', 'hello there'],
  ['AW: WG: Grüße', 'grüße'],
  ['SV: Antw: Hello', 'hello'],
])('%j has the base subject %j', (subject, base) => {
  expect(baseSubject(subject)).toBe(base);
});

test('a subject that is nothing but a blob keeps it', () => {
  expect(baseSubject('[list]')).toBe('[list]');
  expect(baseSubject('Re: [list]')).toBe('[list]');
});

test('what only looks like a prefix stays', () => {
  expect(baseSubject('Regarding: lunch')).toBe('regarding: lunch');
  expect(baseSubject('fwd')).toBe('fwd');
  expect(baseSubject('[unclosed Re: x')).toBe('[unclosed re: x');
});

test('nothing is left of a subject that says nothing', () => {
  expect(baseSubject('')).toBe('');
  expect(baseSubject(' Re: Fwd: ')).toBe('');
});

test('composed and decomposed letters are the same', () => {
  expect(baseSubject('Gru\u0308ße')).toBe(baseSubject('Grüße'));
});

test('a subject of a hundred thousand prefixes is soon done', () => {
  const started = performance.now();
  for (const piece of ['[a]', 're:', '[fwd:', '(fwd)', ' [a', 're[']) baseSubject(piece.repeat(100_000));
  expect(performance.now() - started).toBeLessThan(1000);
});
