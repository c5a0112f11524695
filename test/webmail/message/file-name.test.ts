import { fileName } from '../../../webmail/message/file-name.ts';

describe('the name of a file', () => {
  test.each([
    ['../../etc/passwd', '__.._etc_passwd'],
    ['a\r\nb\u0000c\u202egpj.exe', 'a__b_c_gpj.exe'],
    ['C:\\<b>"x"|?*', 'C___b__x____'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['com1 .txt', '_com1 .txt'],
    ['Conversation', 'Conversation'],
    [null, 'attachment'],
  ])('%j is %j', (name, safe) => expect(fileName(name)).toBe(safe));

  test('has at most 200 octets, and no half of a character', () => {
    expect(fileName('🦭'.repeat(100))).toBe('🦭'.repeat(50));
    expect(fileName('x'.repeat(300))).toHaveLength(200);
  });
});
