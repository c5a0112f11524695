import { nameOfLines, vCardsIn } from '../../../../cli/import/vcard/vcard-file.ts';

const cards = (file: string | Buffer): readonly string[] => vCardsIn(Buffer.from(file)).map((vCard) => vCard.problem ?? nameOfLines(vCard));
const card = (...lines: string[]): string => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');
const two = card('FN:Anna') + card('FN:Jörg');
const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('the cards of a file', () => {
  test.each<readonly [string, string | Buffer]>([
    ['UTF-8', two],
    ['UTF-8 with a byte order mark', `\uFEFF${two}`],
    ['UTF-8, joined of files with byte order marks', `\uFEFF${card('FN:Anna')}\uFEFF${card('FN:Jörg')}`],
    ['UTF-16, little endian', Buffer.from(`\uFEFF${two}`, 'utf16le')],
    ['UTF-16, big endian', bigEndian(`\uFEFF${two}`)],
    ['UTF-16, little endian, without a mark', Buffer.from(two, 'utf16le')],
    ['UTF-16, big endian, without a mark', bigEndian(two)],
    ['Windows-1252', Buffer.from(two, 'latin1')],
    ['UTF-8 and Windows-1252 in one file', Buffer.concat([Buffer.from(card('FN:Anna')), Buffer.from(card('FN:Jörg'), 'latin1')])],
    ['LF', two.replaceAll('\r\n', '\n')],
    ['CR', two.replaceAll('\r\n', '\r')],
    ['CR CR LF', two.replaceAll('\r\n', '\r\r\n')],
    ['lines with spaces at their ends', two.replaceAll('VCARD\r\n', 'VCARD \t\r\n')],
    ['small letters', two.replaceAll('BEGIN:VCARD', 'begin:vcard').replaceAll('END:VCARD', 'End:vCard')],
    ['blank lines and text between cards', two.replaceAll('END:VCARD\r\n', 'END:VCARD\r\n\r\n-- \r\n')],
    ['cards whose lines are all indented', two.replaceAll(/^(?=[A-Z])/gm, '  ')],
    ['cards of which only the first and last line are indented', two.replaceAll('BEGIN', '\tBEGIN').replaceAll('END', '  END')],
  ])('are found in %s', (_, file) => expect(cards(file)).toEqual(['Anna', 'Jörg']));

  test.each<readonly [string, string, readonly string[]]>([
    ['the last card has no end', `${card('FN:Anna')}BEGIN:VCARD\r\nFN:Cut`, ['Anna', 'it has no END:VCARD']],
    ['a card before another has no end', `BEGIN:VCARD\r\nFN:Cut\r\n${card('FN:Anna')}`, ['it has no END:VCARD', 'Anna']],
    ['a card has no begin', `FN:Cut\r\nEND:VCARD\r\n${card('FN:Anna')}`, ['it has no BEGIN:VCARD', 'Anna']],
    ['a folded line looks like the end', card('NOTE:x', ' END:VCARD', 'FN:Anna'), ['Anna']],
    ['a card is within AGENT', card('AGENT:', 'BEGIN:VCARD', 'FN:Agent', 'END:VCARD', 'FN:Anna') + card('FN:Jörg'), ['Anna', 'Jörg']],
    ['cards are within cards', card('AGENT:', 'BEGIN:VCARD', 'AGENT:BEGIN:VCARD', 'FN:Agent', 'END:VCARD', 'END:VCARD', 'FN:Anna'), ['Anna']],
    ['a file is empty', '', []],
  ])('are all counted when %s', (_, file, expected) => expect(cards(file)).toEqual(expected));
});
