import { baseSubject } from '../../../core/mime/base-subject.ts';

describe('baseSubject', () => {
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
    ['Antwort: WG: Hello', 'hello'],
    ['R: I: Hello', 'hello'],
    ['RES: ENC: Hello', 'hello'],
    ['RV: Hello', 'hello'],
    ['YNT: İLT: Hello', 'hello'],
    ['回复: Hello', 'hello'],
    ['答复：Hello', 'hello'],
    ['转发：Re: Hello', 'hello'],
    ['답장: Hello', 'hello'],
    ['Отв: Пересл: Hello', 'hello'],
    ['Vá: Hello', 'hello'],
    ['Va\u0301: Hello', 'hello'],
    ['ΑΠ: Hello', 'hello'],
    ['השב: Hello', 'hello'],
    ['Re(2): Hello', 'hello'],
    ['Re^3: Hello', 'hello'],
    ['Re2: Hello', 'hello'],
    ['RE：Hello', 'hello'],
  ])('of %j is %j', (subject, base) => {
    expect(baseSubject(subject)).toBe(base);
  });

  test('keeps the blob of a subject that has nothing else', () => {
    expect(baseSubject('[list]')).toBe('[list]');
    expect(baseSubject('Re: [list]')).toBe('[list]');
  });

  test('keeps words that only resemble a prefix', () => {
    expect(baseSubject('Regarding: lunch')).toBe('regarding: lunch');
    expect(baseSubject('fwd')).toBe('fwd');
    expect(baseSubject('Rich: lunch')).toBe('rich: lunch');
    expect(baseSubject('Resume: mine')).toBe('resume: mine');
    expect(baseSubject('[unclosed Re: x')).toBe('[unclosed re: x');
  });

  test('is empty for an empty subject and for prefixes only', () => {
    expect(baseSubject('')).toBe('');
    expect(baseSubject(' Re: Fwd: ')).toBe('');
  });

  test('is the same for composed and decomposed letters', () => {
    expect(baseSubject('Gru\u0308ße')).toBe(baseSubject('Grüße'));
  });

  test('takes linear time for a subject of 100,000 prefixes', () => {
    const started = process.cpuUsage();
    for (const piece of ['[a]', 're:', '[fwd:', '(fwd)', ' [a', 're[']) baseSubject(piece.repeat(100_000));
    expect(process.cpuUsage(started).user / 1_000_000).toBeLessThan(3);
  });
});
