import { emlxFolder, isEmlx, parseEmlx } from '../../../cli/sources/emlx.ts';

const message = 'From: a@example.net\nSubject: one\n\nHello <?xml version="1.0"?>\n<?xml version="1.0"?>\n<plist/>\nBye\n';
const propertyList = (flags: string | number, date = '<integer>1772445600</integer>') =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    '\t<key>date-received</key>',
    `\t${date}`,
    '\t<key>flags</key>',
    `\t<integer>${flags}</integer>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
const read = (file: string) => {
  const { message: octets, ...more } = parseEmlx(Buffer.from(file, 'latin1'));
  return { ...more, message: octets.toString('latin1') };
};
const seen = propertyList(1);
const crlf = (text: string) => text.replaceAll('\n', '\r\n');

describe('a message of Apple Mail', () => {
  test.each([
    ['with its count', `${message.length}      \n${message}${seen}`, message, true],
    ['with a count and CRLF', `${crlf(message).length}\r\n${crlf(message)}${crlf(seen)}`, crlf(message), true],
    ['without a line end', `${message.length - 1}\n${message.slice(0, -1)}${seen}`, message.slice(0, -1), true],
    ['of which a program has changed the line ends', crlf(`${message.length}\n${message}${seen}`), crlf(message), false],
    ['with a count that is too small', `7\n${message}${seen}`, message, false],
    ['with a count that is too large', `70000\n${message}${seen}`, message, false],
    ['without a count', `${message}${seen}`, message, false],
    ['without a property list', `${message.length}\n${message}`, message, true],
    ['with a wrong count and without a property list', `9\n${message.replaceAll('<', '(')}`, message.replaceAll('<', '('), false],
    ['with a property list that is cut', `${message.length}\n${message}<?xml vers`, message, true],
    ['with a property list in binary form', `${message.length}\n${message}bplist00\u00D1\u0001`, message, true],
    ['without octets', '', '', false],
  ])('%s is read octet for octet', (_, file, octets, isCounted) => {
    expect(read(file)).toMatchObject({ message: octets, isCounted });
  });

  test.each([
    [0, []],
    [1, ['\\Seen']],
    [2, ['\\Deleted']],
    ['8590195733', ['\\Seen', '\\Answered', '\\Flagged']],
    [64 + 256, ['\\Draft', 'Forwarded']],
    [1 << 24, ['Junk']],
    [1 << 25, ['NonJunk']],
    [-1, ['\\Seen', '\\Deleted', '\\Answered', '\\Flagged', '\\Draft', 'Forwarded', 'Junk', 'NonJunk']],
    ['1'.repeat(30), undefined],
    ['x', undefined],
  ])('with the flags %s has the flags %j', (flags, expected) => {
    expect(read(`${message.length}\n${message}${propertyList(flags)}`).flags).toEqual(expected);
  });

  test.each([
    ['<integer>1772445600</integer>', '2026-03-02T10:00:00.000Z'],
    ['<real>1772445600.5</real>', '2026-03-02T10:00:00.000Z'],
    ['<integer>0</integer>', undefined],
    ['<integer>999999999999999</integer>', undefined],
    ['<string>today</string>', undefined],
  ])('that was received at %s has the date %s', (date, expected) => {
    expect(read(`${message.length}\n${message}${propertyList(1, date)}`).receivedAt?.toISOString()).toBe(expected);
  });

  test.each([
    [['INBOX.mbox', '0F00', 'Data', 'Messages'], 'INBOX (inbox)'],
    [['INBOX.mbox', 'Messages'], 'INBOX (inbox)'],
    [['Work.mbox', 'Clients.mbox', '6A1B2C3D-0000-4000-8000-0123456789AB', 'Data', '3', '1', 'Messages'], 'Work/Clients'],
    [['V10', '6A1B2C3D-0000-4000-8000-0123456789AB', 'Sent Messages.mbox', 'Data', 'Messages'], 'Sent Messages (sent)'],
    [['IMAP-ada@imap.example.com', 'INBOX.imapmbox', 'Messages'], 'INBOX (inbox)'],
    [['Letters'], 'Letters'],
    [['Letters', 'Data', '1', 'Messages'], 'Letters'],
    [['Messages'], 'Inbox (inbox)'],
    [[], 'Inbox (inbox)'],
  ])('below %j is in the folder %s', (path, folder) => {
    const { path: names, role } = emlxFolder(path);
    expect(`${names.join('/')}${role ? ` (${role})` : ''}`).toBe(folder);
  });

  test.each([
    ['1.emlx', true],
    ['a/2.partial.EMLX', true],
    ['._1.emlx', false],
    ['a/._1.emlx', false],
    ['1.eml', false],
  ])('is %s: %s', (name, expected) => {
    expect(isEmlx(name)).toBe(expected);
  });
});
