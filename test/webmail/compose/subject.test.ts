import { forwardSubject, replySubject } from '../../../webmail/compose/subject.ts';

test.each([
  ['Hello', 'Re: Hello'],
  [null, 'Re:'],
  ['', 'Re:'],
  [' Re: ', 'Re:'],
  ['RE:   Re: re : Hello', 'Re: Hello'],
  ['Re[2]: Hello', 'Re: Hello'],
  ['Re [Bug 7] : Hello', 'Re: Hello'],
  ['Re(2): Re^3: Re2: Hello', 'Re: Hello'],
  ['RE：Hello', 'Re: Hello'],
  ['AW: WG: Grüße', 'Re: WG: Grüße'],
  ['SV: Antw: Hello', 'Re: Hello'],
  ['Odp: Rif: R: Hello', 'Re: Hello'],
  ['YNT: Hello', 'Re: Hello'],
  ['回复: 答复：Hello', 'Re: Hello'],
  ['Отв: Hello', 'Re: Hello'],
  ['Va\u0301: Hello', 'Re: Hello'],
  ['ΑΠ: Hello', 'Re: Hello'],
  ['השב: Hello', 'Re: Hello'],
  ['[list] Re: Hello', 'Re: [list] Hello'],
  ['Re: [list] AW: [more] Re: Hello', 'Re: [list] [more] Hello'],
  ['Re: [list] [more] Hello', 'Re: [list] [more] Hello'],
  ['Fwd: Hello', 'Re: Fwd: Hello'],
  ['Regarding: lunch', 'Re: Regarding: lunch'],
  ['Resume: mine', 'Re: Resume: mine'],
  ['re', 'Re: re'],
  ['[unclosed Re: x', 'Re: [unclosed Re: x'],
  ['Hello\r\nBcc: x@example.net', 'Re: Hello  Bcc: x@example.net'],
  ['\u202eolleH\0', 'Re: olleH'],
  ['lone \ud800', 'Re: lone \ufffd'],
])('the reply to the subject %j has the subject %j', (subject, expected) => expect(replySubject(subject)).toBe(expected));

test.each([
  ['Hello', 'Fwd: Hello'],
  [null, 'Fwd:'],
  ['Re: Hello', 'Fwd: Re: Hello'],
  ['FW: Fwd: WG: Hello', 'Fwd: Hello'],
  ['İLT: I: TR: Hello', 'Fwd: Hello'],
  ['转发：Hello', 'Fwd: Hello'],
  ['[list] Fwd: Hello', 'Fwd: [list] Hello'],
])('the forward of the subject %j has the subject %j', (subject, expected) => expect(forwardSubject(subject)).toBe(expected));

test.each(['[a]', 're:', '[a] re:', ' ', ' [a', 're[', 're [', '[', '\0'])('a subject of 400,000 times %j takes no long time', (piece) => {
  const started = process.cpuUsage();
  replySubject(piece.repeat(400_000));
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(3);
});
