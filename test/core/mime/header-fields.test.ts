import { parseHeaderFields, parseLastFields } from '../../../core/mime/header-fields.ts';
import { asText } from '../../../core/mime/header-forms.ts';

describe('parseHeaderFields', () => {
  test('gives the fields in order, with everything after the colon', () => {
    const block = Buffer.from('A: one\r\nb:two\r\n  folded\r\nA:\tthree\n\r\n');
    const fields = parseHeaderFields(block);
    expect(fields.map(({ name, value }) => [name, value.toString()])).toEqual([
      ['A', ' one'],
      ['b', 'two\r\n  folded'],
      ['A', '\tthree'],
    ]);
    expect(parseLastFields(block).get('a')?.value.toString()).toBe('\tthree');
  });

  test('skips lines that are not fields', () => {
    const fields = parseHeaderFields(Buffer.from('From someone Mon Jan 1\nA: one\nno colon here\n continued\nB : two'));
    expect(fields.map(({ name }) => name)).toEqual(['A', 'B']);
    expect(asText(fields[0]!)).toBe('one');
  });
});
