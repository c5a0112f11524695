import { plainQuoteStart } from '../../../webmail/compose/quote.ts';
import { htmlSignatureOf, newBody, withSignature } from '../../../webmail/compose/signature.ts';

const of = (textSignature: string) => ({ textSignature, htmlSignature: '' });
const [anna, shop, none] = [of('Anna\nTel. 1'), of('The shop'), of('')];
const reply = 'On 1 May 2026, Bob wrote:\n> Hello\n>\n> Bob';
const forward = '---------- Forwarded message ----------\nFrom: Anna\n\nHello\n\n-- \nAnna\nTel. 1';

describe('the signature of another sender', () => {
  test.each(['', reply, forward])('makes the text as if it had begun with it, above the quote %j', (below) => {
    for (const before of [anna, shop, none])
      for (const after of [anna, shop, none]) expect(withSignature(newBody(before, true, below).text, before, after)).toBe(newBody(after, true, below).text);
  });

  test.each([
    ['Dear Bob,\n\n-- \nAnna\nTel. 1', 'Dear Bob,\n\n-- \nThe shop'],
    ['Dear Bob,\n-- \nAnna\nTel. 1\n', 'Dear Bob,\n-- \nThe shop\n'],
    ['Hello\n\n-- \nAnna\nTel. 1\n\nPS: me', 'Hello\n\n-- \nThe shop\n\nPS: me'],
    // Made plain from HTML.
    ['Hello\n\n--\n\nAnna\nTel. 1', 'Hello\n\n-- \nThe shop'],
    [`${reply}\n\nBelow\n\n-- \nAnna\nTel. 1`, `${reply}\n\nBelow\n\n-- \nThe shop`],
  ])('is in the place of the former one in %j', (text, expected) => {
    expect(withSignature(text, anna, shop)).toBe(expected);
  });

  test.each([
    'Hello\n\n-- \nAnna',
    'Hello\n\n-- \nAnna\nTel. 12',
    'Hello\n\n-- \nAnna\nTel. 1\nRoom 2',
    'Hello\n\n-- \nDear Anna\nTel. 1',
    'No signature',
    `Hello\n\n${forward}`,
  ])('leaves %j as the person wrote it', (text) => {
    expect(withSignature(text, anna, shop)).toBe(text);
  });

  test('is removed with the empty line above it where the sender has none', () => {
    expect(withSignature('Hello\n\n-- \nAnna\nTel. 1', anna, none)).toBe('Hello');
    expect(withSignature(`Hello\n\n-- \nAnna\nTel. 1\n\n${reply}`, anna, none)).toBe(`Hello\n\n${reply}`);
  });

  test.each([
    ['Hello', 'Hello\n\n-- \nThe shop'],
    [`Hello\n\n${reply}`, `Hello\n\n-- \nThe shop\n\n${reply}`],
    [`Hello\n\n${reply}\nYes\n> And?`, `Hello\n\n-- \nThe shop\n\n${reply}\nYes\n> And?`],
    [`${reply}\n\nBelow`, `${reply}\n\nBelow\n\n-- \nThe shop`],
    // One that was changed remains the only one.
    ['Hello\n\n-- \nAnn', 'Hello\n\n-- \nAnn'],
  ])('is added at the end of %j where the former sender had none', (text, expected) => {
    expect(withSignature(text, none, shop)).toBe(expected);
  });

  test('is found although the server has other ends of lines', () => {
    expect(withSignature('Hello\n\n-- \nAnna\nTel. 1', of('Anna\r\nTel. 1\r\n'), shop)).toBe('Hello\n\n-- \nThe shop');
  });
});

test('a signature of text is HTML with its characters', () => {
  expect(htmlSignatureOf(of('A & B\nC'))).toBe('<p>-- </p><div>A &amp; B<br>C</div>');
  expect(htmlSignatureOf({ textSignature: 'A', htmlSignature: '<b>A</b>' })).toBe('<p>-- </p><div><b>A</b></div>');
  expect(htmlSignatureOf(none)).toBe('');
});

test('a text of quoted lines alone begins with its quote', () => {
  expect(plainQuoteStart('> Hello')).toBe(0);
});
