import { decodeText, isKnownCharset } from '../../../../core/mime/encoding/charset.ts';
import { parseMessage } from '../../../../core/mime/parse-message.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const escape = '\u001B';

describe('a charset that mail has', () => {
  test.each([
    ['iso-2022-kr', `${escape}$)C\u000E>H3g\u000F!`, '안녕!'],
    ['csISO2022KR', `${escape}$)C\r\n\u000E>H\u000F a\r\n\u000E3g`, '\r\n안 a\r\n녕'],
    ['utf-7', 'Gr+APw-n tea +IKw-5, 1 +- 1 +AOQ.', 'Grün tea €5, 1 + 1 ä.'],
    ['UNICODE-1-1-UTF-7', '+2D3cjA-', '💌'],
    ['utf-7', 'C+ and +/', 'C+ and +/'],
    ['cp850', 'Gr\u0081n', 'Grün'],
    ['ibm852', 'Wa\u0088\u00A9sa', 'Wałęsa'],
    ['cp437', '\u0082t\u0082', 'été'],
    ['CP858', '5 \u00D5', '5 €'],
    ['IBM-865', '\u009Bl', 'øl'],
    ['x-mac-ce', 'ok', 'ok'],
    ['macturkish', '\u00DF', 'ş'],
    ['tcvn', '\u00AE', 'đ'],
    ["'iso-8859-2'", 'Wa\u00B3\u00EAsa', 'Wałęsa'],
    ['"iso-8859-2"', 'Wa\u00B3\u00EAsa', 'Wałęsa'],
    ['_iso-2022-jp$ESC', `${escape}$B$3$s$K$A$O${escape}(B`, 'こんにちは'],
    ['ISO-2022-JP-2004', `${escape}$B$3${escape}(B`, 'こ'],
    ['jis7', `${escape}$B$3${escape}(B`, 'こ'],
    ['windows-1252', '\u0080', '€'],
    ['utf-8', Buffer.from('Grüße').toString('latin1'), 'Grüße'],
  ])('%s: %j is %s', (charset, octets, text) => {
    expect(decodeText(latin1(octets), charset).text).toBe(text);
    expect(isKnownCharset(charset) || charset === 'x-mac-ce').toBe(true);
  });

  test.each(['iso-2022-kr', 'utf-7', 'cp850', 'ibm852', "'iso-8859-2'", 'iso-2022-jp-3'])('%s has no encoding problem in valid text', (charset) => {
    expect(decodeText(latin1('Hello 1 > 0'), charset)).toEqual({ text: 'Hello 1 > 0', isEncodingProblem: false });
  });

  test('is read in the encoded words of a header too', () => {
    const { email } = parseMessage(
      latin1(
        [
          'From: =?cp850?Q?J=81rgen?= <j@example.net>',
          'To: =?x-cp932?B?k/o=?= =?x-cp932?B?lns=?= <n@example.net>, "A =?cp850?Q?=81?=" <a@example.net>',
          'Subject: =?utf-7?Q?Gr+APw-n?= =?iso-2022-kr?B?GyQpQw4+SDNn?=',
          '',
          '',
        ].join('\r\n'),
      ),
    );
    expect([email.from![0]!.name, email.to![0]!.name, email.subject]).toEqual(['Jürgen', '日本', 'Grün안녕']);
  });
});

test('an unknown charset, and octets that it does not have, are an encoding problem', () => {
  expect(decodeText(latin1('abc'), 'x-klingon')).toEqual({ text: 'abc', isEncodingProblem: true });
  expect(decodeText(latin1('\u00FF\u00FF'), 'iso-2022-kr').isEncodingProblem).toBe(true);
  for (const charset of ['__proto__', 'constructor', 'cpcp', 'x'.repeat(10_000)]) expect(isKnownCharset(charset)).toBe(false);
});
