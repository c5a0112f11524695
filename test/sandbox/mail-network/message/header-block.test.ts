import { field, fieldValue, joinMessage, splitMessage, valuesOf } from '../../../../sandbox/mail-network/message/header-block.ts';

const split = (text: string) => splitMessage(Buffer.from(text, 'latin1'));
const names = (text: string) => split(text).fields.map(({ name }) => name);

describe('a message is taken apart', () => {
  test('into fields, folded ones included, and a body', () => {
    const { fields, body } = split('A: 1\r\nB: 2\r\n\tmore\r\n\r\nBody\r\n\r\nend');
    expect(fields.map(fieldValue)).toEqual(['1', '2\tmore']);
    expect(body.toString()).toBe('Body\r\n\r\nend');
  });

  test('with bare line feeds too', () => expect(split('A: 1\nB: 2\n 3\n\nBody').body.toString()).toBe('Body'));
  test('without a body', () => expect([names('A: 1'), split('A: 1\r\n').body.length]).toEqual([['A'], 0]));
  test('without a header', () => expect([names('\r\nBody'), split('\r\nBody').body.toString()]).toEqual([[], 'Body']));
  test('leaving out lines that are no field', () => expect(names('From someone\r\nA: 1\r\nno colon\r\nB: 2\r\n\r\n')).toEqual(['A', 'B']));

  test('and put together with every octet of its fields and body', () => {
    const text = 'A: 1\r\nB: 2\r\n\tmore\r\nC:\xff\x80\r\n\r\nBody\0\xfe';
    expect(joinMessage(split(text)).toString('latin1')).toBe(text);
  });
});

test('a field’s value is found by its name in any case, octets above ASCII as UTF-8', () => {
  expect(valuesOf(splitMessage(Buffer.from('SUBJECT: Grüße\r\nsubject: again\r\n\r\n')).fields, 'Subject')).toEqual(['Grüße', 'again']);
});

test('a field of ours can’t smuggle in another', () => {
  expect(field('X', 'a\r\nBcc: b\nC: d\re').raw).toBe('X: a Bcc: b C: d e');
  expect(field('X', 'a\r\n folded').raw).toBe('X: a\r\n folded');
});
