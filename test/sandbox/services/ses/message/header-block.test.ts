import { field, fieldValue, joinMessage, splitMessage, valuesOf } from '../../../../../sandbox/services/ses/message/header-block.ts';

const split = (text: string) => splitMessage(Buffer.from(text, 'latin1'));
const names = (text: string) => split(text).fields.map(({ name }) => name);

describe('splitMessage', () => {
  test('returns fields, also folded ones, and the body', () => {
    const { fields, body } = split('A: 1\r\nB: 2\r\n\tmore\r\n\r\nBody\r\n\r\nend');
    expect(fields.map(fieldValue)).toEqual(['1', '2\tmore']);
    expect(body.toString()).toBe('Body\r\n\r\nend');
  });

  test('accepts bare line feeds', () => expect(split('A: 1\nB: 2\n 3\n\nBody').body.toString()).toBe('Body'));
  test('accepts a message without a body', () => expect([names('A: 1'), split('A: 1\r\n').body.length]).toEqual([['A'], 0]));
  test('accepts a message without a header', () => expect([names('\r\nBody'), split('\r\nBody').body.toString()]).toEqual([[], 'Body']));
  test('drops lines that are not fields', () => expect(names('From someone\r\nA: 1\r\nno colon\r\nB: 2\r\n\r\n')).toEqual(['A', 'B']));

  test('keeps every octet of fields and body for joinMessage', () => {
    const text = 'A: 1\r\nB: 2\r\n\tmore\r\nC:\xff\x80\r\n\r\nBody\0\xfe';
    expect(joinMessage(split(text)).toString('latin1')).toBe(text);
  });
});

test('valuesOf finds a field by its case-insensitive name and decodes UTF-8', () => {
  expect(valuesOf(splitMessage(Buffer.from('SUBJECT: Grüße\r\nsubject: again\r\n\r\n')).fields, 'Subject')).toEqual(['Grüße', 'again']);
});

test('field() cannot inject another header field', () => {
  expect(field('X', 'a\r\nBcc: b\nC: d\re').raw).toBe('X: a Bcc: b C: d e');
  expect(field('X', 'a\r\n folded').raw).toBe('X: a\r\n folded');
});
